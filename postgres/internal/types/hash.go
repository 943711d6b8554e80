package types

import (
	"encoding/binary"
	"math/bits"
)

// hashState is that of Jenkins' lookup3, which PostgreSQL's hash_bytes is, on a machine with the lowest byte first.
type hashState struct{ a, b, c uint32 }

func (h *hashState) mix() {
	rot := bits.RotateLeft32
	h.a = h.a - h.c ^ rot(h.c, 4)
	h.c += h.b
	h.b = h.b - h.a ^ rot(h.a, 6)
	h.a += h.c
	h.c = h.c - h.b ^ rot(h.b, 8)
	h.b += h.a
	h.a = h.a - h.c ^ rot(h.c, 16)
	h.c += h.b
	h.b = h.b - h.a ^ rot(h.a, 19)
	h.a += h.c
	h.c = h.c - h.b ^ rot(h.b, 4)
	h.b += h.a
}

func (h *hashState) final() {
	rot := bits.RotateLeft32
	h.c = (h.c ^ h.b) - rot(h.b, 14)
	h.a = (h.a ^ h.c) - rot(h.c, 11)
	h.b = (h.b ^ h.a) - rot(h.a, 25)
	h.c = (h.c ^ h.b) - rot(h.b, 16)
	h.a = (h.a ^ h.c) - rot(h.c, 4)
	h.b = (h.b ^ h.a) - rot(h.a, 14)
	h.c = (h.c ^ h.b) - rot(h.b, 24)
}

// hashBytes hashes with a seed, 0 for hash_bytes.
func hashBytes(k []byte, seed uint64) hashState {
	start := 0x9e3779b9 + uint32(len(k)) + 3923095
	h := hashState{start, start, start}
	if seed != 0 {
		h.a += uint32(seed >> 32)
		h.b += uint32(seed)
		h.mix()
	}
	for ; len(k) >= 12; k = k[12:] {
		h.a += binary.LittleEndian.Uint32(k)
		h.b += binary.LittleEndian.Uint32(k[4:])
		h.c += binary.LittleEndian.Uint32(k[8:])
		h.mix()
	}
	var tail [12]byte
	copy(tail[:], k)
	h.a += binary.LittleEndian.Uint32(tail[:])
	h.b += binary.LittleEndian.Uint32(tail[4:])
	h.c += binary.LittleEndian.Uint32(tail[8:]) << 8 // the lowest byte is that of the length
	h.final()
	return h
}

func init() {
	fn("hashtext", []OID{TextOID}, Int4OID, func(a []Value) (Value, error) {
		return int64(int32(hashBytes([]byte(a[0].(string)), 0).c)), nil
	})
	fn("hashtextextended", []OID{TextOID, Int8OID}, Int8OID, func(a []Value) (Value, error) {
		h := hashBytes([]byte(a[0].(string)), uint64(a[1].(int64)))
		return int64(uint64(h.b)<<32 | uint64(h.c)), nil
	})
}
