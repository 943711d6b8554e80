package redis

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

// goRedisSemTimers (newer versions) and goRedisPoolTimers (older ones) are the pools in
// which go-redis keeps timers of goroutines that wait for a connection. A timer belongs
// to the run that made it: if a later run uses it, the process dies.
//
//go:linkname goRedisSemTimers github.com/redis/go-redis/v9/internal.semTimers
var goRedisSemTimers sync.Pool

//go:linkname goRedisPoolTimers github.com/redis/go-redis/v9/internal/pool.timers
var goRedisPoolTimers sync.Pool

// goRedis8Rand and goRedis8Timers are the same of version 8, which a lock's own module may use
// with the addresses and the dialer of its client.
//
//go:linkname goRedis8Rand github.com/go-redis/redis/v8/internal/rand.pseudo
var goRedis8Rand *rand.Rand

//go:linkname goRedis8Timers github.com/go-redis/redis/v8/internal/pool.timers
var goRedis8Timers sync.Pool

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
		forget(&goRedis8Timers)
	})
	sim.Seeders = append(sim.Seeders, seeded(&goRedisRand), seeded(&goRedis8Rand))
}

// seeded returns a function that seeds a source of go-redis, if this binary has it, which is checked at the first run.
// go-redis locks its own source, but a source of ours must lock itself. It is cheaper to seed than math/rand's.
func seeded(theirs **rand.Rand) func(int64) {
	var ours *lockedSource
	return func(seed int64) {
		if *theirs == nil {
			return
		}
		if ours == nil {
			ours = new(lockedSource)
			*theirs = rand.New(ours)
		}
		ours.Seed(seed)
	}
}

// lockedSource is a random source that is safe for concurrent use. Goroutines that have
// failed draw from streams of their own, since several of one process that go on at
// once, as after a pause, do so in the scheduler's order.
type lockedSource struct {
	mu   sync.Mutex
	seed uint64
	pcg  randv2.PCG            // of goroutines that have never failed
	own  map[int64]*randv2.PCG // by the goroutine's last failure
}

// Seed seeds the source.
func (s *lockedSource) Seed(seed int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed = uint64(seed)
	s.pcg.Seed(s.seed, 0)
	clear(s.own)
}

// Int63 draws a number.
func (s *lockedSource) Int63() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(s.stream(sim.FailedOn()).Uint64() >> 1)
}

// stream returns the stream of a goroutine.
func (s *lockedSource) stream(failedOn int64) *randv2.PCG {
	if failedOn == 0 {
		return &s.pcg
	}
	own := s.own[failedOn]
	if own == nil {
		if s.own == nil {
			s.own = map[int64]*randv2.PCG{}
		}
		own = randv2.NewPCG(s.seed, uint64(failedOn))
		s.own[failedOn] = own
	}
	return own
}

// timeout is the default read timeout of clients of this version.
var timeout = func() time.Duration {
	c := redis.NewClient(new(redis.Options))
	defer func() { _ = c.Close() }() // it has no connection
	return c.Options().ReadTimeout
}()

// version returns the version that this binary was built with.
func version() string { return "v" + redis.Version() }
