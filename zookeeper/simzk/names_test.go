package simzk

import (
	"fmt"
	"slices"
	"testing"
)

func TestJavaHash(t *testing.T) {
	for s, want := range map[string]uint32{"": 0, "a": 97, "hello": 99162322, "Aa": 2112, "BB": 2112, "😀": 55357*31 + 56832} { // unordered: each by itself
		if got := javaHash(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

// TestNames compares the order of sets with that of a HashSet, as a real server
// showed it.
func TestNames(t *testing.T) {
	n := newNames(8)
	for _, name := range []string{"b", "j", "a", "i", "c"} {
		n = n.with(name)
	}
	// b and j, and a and i, share buckets: they are in order of insertion.
	if got, want := n.list(), []string{"a", "i", "b", "j", "c"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := n.with("d").with("e").list(), []string{"a", "b", "c", "d", "e", "i", "j"}; !slices.Equal(got, want) {
		t.Errorf("grown: %q, want %q", got, want)
	}
	if got, want := n.without("b").with("b").list(), []string{"a", "i", "j", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("removed and inserted: %q, want %q", got, want)
	}
	if got, want := n.list(), []string{"a", "i", "b", "j", "c"}; !slices.Equal(got, want) {
		t.Errorf("the set itself is now %q, want %q", got, want)
	}
	one, other := n.with("d"), n.with("e")
	if got, want := one.with("f").list(), []string{"a", "b", "c", "d", "f", "i", "j"}; !slices.Equal(got, want) {
		t.Errorf("after %q was made from the same set: %q, want %q", other.list(), got, want)
	}
}

// TestNamesGrow: a set has room for three quarters of its capacity, and keeps
// its capacity when it shrinks.
func TestNamesGrow(t *testing.T) {
	n := newNames(8)
	for i := range 100 {
		n = n.with(fmt.Sprint(i))
		if n.len() != i+1 || n.len()*4 > n.capacity*3 {
			t.Fatalf("%d strings and a capacity of %d", n.len(), n.capacity)
		}
	}
	for i := range 100 {
		n = n.without(fmt.Sprint(i))
	}
	if n.len() != 0 || n.capacity != 256 {
		t.Errorf("%d strings and a capacity of %d", n.len(), n.capacity)
	}
}
