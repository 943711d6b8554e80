package experiments

import (
	"time"

	"github.com/lockpick-dev/lockpick/lab"
)

// localNetwork is the way between two machines of one data centre. It is not measured, but assumed: a round trip takes 0.2
// ms, and one way of a thousand takes 1 ms or more.
var localNetwork = lab.Latency{Median: 100 * time.Microsecond, P999: time.Millisecond}

// redisCosts are the times that a Redis takes for requests.
var redisCosts = measured["redis"]
