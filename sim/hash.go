package sim

import "encoding/binary"

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
