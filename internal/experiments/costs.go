package experiments

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/lab"
)

// localNetwork is the way between two processes of one data centre.
var localNetwork = lab.Latency{Median: 100 * time.Microsecond, P999: time.Millisecond}

var redisCosts = lab.Costs{"": 10 * time.Microsecond}
