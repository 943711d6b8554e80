// Package streams has streams of random numbers that depend on a seed and a name alone.
package streams

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"sync"

	"github.com/lockpick-dev/lockpick/sim/internal/digest"
)

// New returns a stream: a PCG generator. Streams of different names are independent, so a new consumer
// does not shift the numbers that old ones see.
func New(seed uint64, name string) rand.Source { return newPCG(seed, name) }

func newPCG(seed uint64, name string) *rand.PCG {
	return rand.NewPCG(seed, digest.String(digest.Offset, name))
}

// Reader returns a stream as a reader that never fails. It is safe for concurrent use, as
// crypto/rand's is.
func Reader(seed uint64, name string) io.Reader { return &reader{from: newPCG(seed, name)} }

type reader struct {
	mu   sync.Mutex
	from *rand.PCG
}

// Read fills p.
func (r *reader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(p)
	for len(p) >= 8 {
		binary.LittleEndian.PutUint64(p, r.from.Uint64())
		p = p[8:]
	}
	if len(p) > 0 {
		var last [8]byte
		binary.LittleEndian.PutUint64(last[:], r.from.Uint64())
		copy(p, last[:])
	}
	return n, nil
}
