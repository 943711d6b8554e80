package sim

import (
	crand "crypto/rand"
	"encoding/binary"
	"io"
	mrand "math/rand"
	"math/rand/v2"
	"os"
	"sync"
)

// FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv): small, stable
// across machines and versions, and good enough to tell two runs apart.
const (
	fnvOffset uint64 = 14695981039346656037
	fnvPrime  uint64 = 1099511628211
)

func hashUint(h, v uint64) uint64 {
	// Whole words rather than bytes: eight times fewer multiplications; the
	// shift brings high bits down, which word-wise FNV would never mix in.
	h = (h ^ v) * fnvPrime
	return h ^ h>>32
}

func hashString(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return hashUint(h, uint64(len(s)))
}

func hashBytes(h uint64, b []byte) uint64 {
	n := len(b)
	for ; len(b) >= 8; b = b[8:] {
		h = hashUint(h, binary.LittleEndian.Uint64(b))
	}
	for _, c := range b {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return hashUint(h, uint64(n))
}

// Digest is a small deterministic hash to which values are added one by one.
// The zero value is ready to use.
type Digest struct{ h uint64 }

// Uint adds a number.
func (d *Digest) Uint(v uint64) { d.h = hashUint(d.start(), v) }

// String adds a text.
func (d *Digest) String(s string) { d.h = hashString(d.start(), s) }

// Sum is the hash of all that was added.
func (d *Digest) Sum() uint64 { return d.start() }

func (d *Digest) start() uint64 {
	if d.h == 0 {
		return fnvOffset
	}
	return d.h
}

// stream is a private stream of random numbers: a PCG generator that depends
// on a seed and a name only. Streams of different names are independent, so a
// new consumer does not shift the numbers that old ones see.
type stream struct{ *rand.PCG }

func newStream(seed uint64, name string) stream {
	return stream{rand.NewPCG(seed, hashString(fnvOffset, name))}
}

// Read fills p; it never fails.
func (s stream) Read(p []byte) (int, error) {
	n := len(p)
	for len(p) >= 8 {
		binary.LittleEndian.PutUint64(p, s.Uint64())
		p = p[8:]
	}
	if len(p) > 0 {
		var last [8]byte
		binary.LittleEndian.PutUint64(last[:], s.Uint64())
		copy(p, last[:])
	}
	return n, nil
}

// NewRand returns a generator of random numbers. The same seed and purpose give the
// same numbers, and different purposes give independent ones.
func NewRand(seed uint64, purpose string) *rand.Rand { return rand.New(newStream(seed, purpose)) }

// Code under test draws from process-wide random sources: a client's back-off
// from math/rand, most lock values from crypto/rand. They are seeded for each
// run, so that a run stays a function of its tape, and one run at a time
// holds them. What cannot be seeded, math/rand/v2's global functions above
// all, makes a run nondeterministic and is reported as such.
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
	crand.Reader = &lockedReader{r: newStream(seed, "crypto/rand")}
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

// lockedReader makes a reader safe for concurrent use, as crypto/rand's is.
type lockedReader struct {
	mu sync.Mutex
	r  io.Reader
}

func (l *lockedReader) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.Read(p)
}
