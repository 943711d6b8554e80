package scenarios

import (
	"math/rand"
	randv2 "math/rand/v2"
	"sync"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/sim"
)

// goRedisRand is go-redis's own random source, from which versions before
// 9.20 draw their retry back-off. It seeds itself from the wall clock and
// there is no other way to reach it. Newer versions use math/rand's global
// source; there the variable does not exist, and this is nil.
//
//go:linkname goRedisRand github.com/redis/go-redis/v9/internal/rand.pseudo
var goRedisRand *rand.Rand

// goRedisSemTimers (newer versions) and goRedisPoolTimers (older ones) are where
// go-redis keeps the timers of goroutines that wait for a connection, to use
// them again. A timer belongs to the run that made it: a later run that meets
// it dies of it, beyond recovery.
//
//go:linkname goRedisSemTimers github.com/redis/go-redis/v9/internal.semTimers
var goRedisSemTimers sync.Pool

//go:linkname goRedisPoolTimers github.com/redis/go-redis/v9/internal/pool.timers
var goRedisPoolTimers sync.Pool

// forget empties a pool, if this version of go-redis has it.
func forget(p *sync.Pool) {
	if p.New != nil {
		*p = sync.Pool{New: p.New}
	}
}

func init() {
	sim.Forgetters = append(sim.Forgetters, func() {
		forget(&goRedisSemTimers)
		forget(&goRedisPoolTimers)
	})
	if goRedisRand == nil {
		return
	}
	// go-redis locks around its source itself, but a source of ours has to do
	// that on its own. It is cheaper to seed than math/rand's.
	source := new(lockedSource)
	goRedisRand = rand.New(source)
	sim.Seeders = append(sim.Seeders, source.Seed)
}

// lockedSource is a random source that is safe for concurrent use. Who draws at
// the same instant draws the same number: goroutines of one process that go on at
// once, as after a pause, do so in an order that is the scheduler's.
type lockedSource struct {
	mu   sync.Mutex
	pcg  randv2.PCG
	at   time.Time // of the last draw
	last int64
}

// Seed starts the source anew.
func (s *lockedSource) Seed(seed int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pcg.Seed(uint64(seed), 0)
	s.at = time.Time{}
}

// mostDrawn is so far below 2^63 that nobody who wants a number below 2^32 draws
// again for the sake of an even distribution.
const mostDrawn = 1<<63 - 1<<33

// Int63 draws a number.
func (s *lockedSource) Int63() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); !now.Equal(s.at) {
		s.at, s.last = now, min(int64(s.pcg.Uint64()>>1), mostDrawn)
	}
	return s.last
}

// goRedisVersion is the version that this binary was built with.
func goRedisVersion() string { return "v" + redis.Version() }
