package experiments

import (
	"time"

	"github.com/lockpick-dev/lockpick/lab"
)

// localNetwork is the way between two machines of one data centre. It is no measurement, but
// what the experiments assume: a round trip takes 0.2 ms, and one way of a thousand 1 ms or more.
var localNetwork = lab.Latency{Median: 100 * time.Microsecond, P999: time.Millisecond}

// redisCosts is how long a Redis takes for a request.
var redisCosts = measured["redis"]
