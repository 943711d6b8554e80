package simzk

import (
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// names is a set of strings in the order of a Java HashSet, in which a server lists a
// znode's children and removes a session's znodes. Clients must not rely on that order,
// and clients that do should fail here as they would with a real server.
//
// The order is that of the strings' hashes modulo the set's capacity, then
// that of their insertion. (Java orders otherwise where more than eight strings
// of 64 and more have the same hash modulo the capacity.) A set is never changed.
type names struct {
	inserted []string // in order of insertion
	capacity int      // a power of two; it never shrinks
}

// newNames returns an empty set of a capacity.
func newNames(capacity int) names { return names{capacity: capacity} }

func (n names) len() int { return len(n.inserted) }

// with returns the set with another string, which it does not have.
func (n names) with(name string) names {
	grown := names{append(slices.Clip(n.inserted), name), n.capacity}
	if len(grown.inserted) > n.capacity/4*3 {
		grown.capacity *= 2
	}
	return grown
}

// without returns the set without a string, which it has.
func (n names) without(name string) names {
	at := slices.Index(n.inserted, name)
	return names{slices.Delete(slices.Clone(n.inserted), at, at+1), n.capacity}
}

// list returns the strings in the set's order.
func (n names) list() []string {
	places := make([]int, len(n.inserted)) // of a name: its bucket, then its insertion
	for i, name := range n.inserted {
		places[i] = n.bucket(name)<<32 | i
	}
	slices.Sort(places)
	sorted := make([]string, len(places))
	for i, p := range places {
		sorted[i] = n.inserted[p&(1<<32-1)]
	}
	return sorted
}

// copied returns the set that Java makes as a copy of this one: it is as large as it
// has to be, and the strings are inserted in the order of this one.
func (n names) copied() names {
	capacity := 1
	for capacity < int(float32(n.len())/0.75+1) {
		capacity *= 2
	}
	return names{n.list(), capacity}
}

// bucket returns where in a set of this capacity the string is.
func (n names) bucket(name string) int {
	h := javaHash(name)
	return int(h^h>>16) & (n.capacity - 1)
}

// javaHash is Java's String.hashCode.
func javaHash(s string) (h uint32) {
	var units [2]uint16
	for _, r := range s {
		if r < utf8.RuneSelf {
			h = 31*h + uint32(r)
			continue
		}
		for _, unit := range utf16.AppendRune(units[:0], r) {
			h = 31*h + uint32(unit)
		}
	}
	return h
}
