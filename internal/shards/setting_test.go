package shards

import (
	"slices"
	"testing"
)

// TestDifferences: settings with two values are told in their order, then those that only the other has.
func TestDifferences(t *testing.T) {
	one := []Setting{{"the seed", "1"}, {"the lock", "a"}, {"the parameter x", "2"}}
	other := []Setting{{"the seed", "2"}, {"the lock", "a"}, {"the parameter y", "3"}}
	want := []string{"the seed is 1 there and 2 here", "the parameter x is 2 there and unset here", "the parameter y is unset there and 3 here"}
	if got := Differences(one, other, "there", "here"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := Differences(one, one, "there", "here"); len(got) > 0 {
		t.Errorf("of the same: %q", got)
	}
}
