package scenarios

import (
	"math/rand"
	"runtime/debug"
	_ "unsafe" // for go:linkname

	"github.com/lockpick-dev/lockpick/sim"
)

// goRedisRand is go-redis's own random source, from which versions before
// 9.20 draw their retry back-off. It seeds itself from the wall clock and
// there is no other way to reach it. Newer versions use math/rand's global
// source; there the variable does not exist, and this is nil.
//
//go:linkname goRedisRand github.com/redis/go-redis/v9/internal/rand.pseudo
var goRedisRand *rand.Rand

func init() {
	sim.Seeders = append(sim.Seeders, func(seed int64) {
		if goRedisRand != nil {
			goRedisRand.Seed(seed)
		}
	})
}

// goRedisVersion is the version that this binary was built with.
func goRedisVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/redis/go-redis/v9" {
				if m.Replace != nil {
					return m.Replace.Version
				}
				return m.Version
			}
		}
	}
	return "unknown"
}
