// Package digest has a small deterministic hash: FNV-1a, 64 bits (Fowler, Noll, Vo;
// draft-eastlake-fnv). It is the same on all machines and in all versions, and good enough to distinguish two
// runs apart. It is no defence against chosen inputs.
package digest

import "encoding/binary"

// Offset is the hash of nothing.
const Offset uint64 = 14695981039346656037

const prime uint64 = 1099511628211

// Uint adds a number to a hash.
func Uint(h, v uint64) uint64 {
	// Whole words rather than bytes: eight times fewer multiplications; the
	// shift brings high bits down, which word-wise FNV would never mix in.
	h = (h ^ v) * prime
	return h ^ h>>32
}

// String adds a text to a hash.
func String(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * prime
	}
	return Uint(h, uint64(len(s)))
}

// Bytes adds bytes to a hash.
func Bytes(h uint64, b []byte) uint64 {
	n := len(b)
	for ; len(b) >= 8; b = b[8:] {
		h = Uint(h, binary.LittleEndian.Uint64(b))
	}
	for _, c := range b {
		h = (h ^ uint64(c)) * prime
	}
	return Uint(h, uint64(n))
}

// Digest is a hash to which values are added one by one. The zero value is ready to use.
type Digest struct{ h uint64 }

// Uint adds a number.
func (d *Digest) Uint(v uint64) { d.h = Uint(d.start(), v) }

// String adds a text.
func (d *Digest) String(s string) { d.h = String(d.start(), s) }

// Sum returns the hash of all that was added.
func (d *Digest) Sum() uint64 { return d.start() }

func (d *Digest) start() uint64 {
	if d.h == 0 {
		return Offset
	}
	return d.h
}
