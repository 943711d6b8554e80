package sim

import (
	"encoding/binary"
	"math/rand/v2"
)

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

// NewRand returns a generator that depends on the seed and the purpose only.
func NewRand(seed uint64, purpose string) *rand.Rand { return rand.New(newStream(seed, purpose)) }
