// Package seconds has times to live in the unit of etcd.
package seconds

import (
	"math"
	"time"
)

// Of is a time to live in seconds, rounded up.
func Of(ttl time.Duration) int64 { return int64(math.Ceil(ttl.Seconds())) }
