package scenarios

import (
	"runtime"

	"github.com/lockpick-dev/lockpick/scenarios/redis"
	"github.com/lockpick-dev/lockpick/traces"
)

// Version is the version of Lockpick.
const Version = "0.1.0"

// Versions are what this binary was made of.
func Versions() traces.Versions {
	return traces.Versions{Lockpick: Version, Go: runtime.Version(), GoRedis: redis.Store.Versions()["go-redis"]}
}
