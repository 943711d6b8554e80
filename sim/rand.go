package sim

import (
	crand "crypto/rand"
	mrand "math/rand"
	"math/rand/v2"
	"os"
	"sync"

	"github.com/lockpick-dev/lockpick/sim/internal/digest"
	"github.com/lockpick-dev/lockpick/sim/internal/streams"
)

// Digest is a small deterministic hash to which values are added one by one.
// The zero value is ready to use.
type Digest = digest.Digest

// NewRand returns a generator of random numbers. The same seed and purpose give the
// same numbers, and different purposes give independent ones.
func NewRand(seed uint64, purpose string) *rand.Rand { return rand.New(streams.New(seed, purpose)) }

// Code under test draws from process-wide random sources: a client's back-off from math/rand,
// most lock values from crypto/rand. They are seeded for each run, so that a run remains a
// function of its tape, and one run at a time holds them. The numbers of math/rand/v2's global
// functions are from the Go runtime: see World.setDraws.
var global sync.Mutex

// Seeders seed random sources that this package cannot know, such as a client
// library's private one. They are called before each run with its seed, and during
// the run with others. Forgetters are called before each run, to clear other
// process-wide state. Add to both from an init function only.
var (
	Seeders    []func(seed int64)
	Forgetters []func()
)

// Since Go 1.24 rand.Seed does nothing unless this is set; the runtime looks
// again whenever the environment changes. It stays set: programs that simulate
// have no use for a source that cannot be seeded.
var allowSeed = sync.OnceFunc(func() {
	const key, setting = "GODEBUG", "randseednop=0"
	value := setting
	if old := os.Getenv(key); old != "" {
		value = old + "," + setting
	}
	_ = os.Setenv(key, value) // fails for malformed keys only
})

func seedGlobals(seed uint64) (restore func()) {
	global.Lock()
	allowSeed()
	for _, forget := range Forgetters {
		forget()
	}
	seedShared(seed)
	reader := crand.Reader
	crand.Reader = streams.Reader(seed, "crypto/rand")
	return func() {
		crand.Reader = reader
		global.Unlock()
	}
}

// seedShared seeds the random sources that all processes share.
func seedShared(seed uint64) {
	mrand.Seed(int64(seed)) //nolint:staticcheck // the deprecated call is the one that reaches the global source
	for _, s := range Seeders {
		s(int64(seed))
	}
}
