package builtin_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// TestExpectations: there are expectations of each lock, and of no other.
func TestExpectations(t *testing.T) {
	families, known := builtin.Families(), map[string]bool{}
	for _, l := range builtin.Locks() {
		known[l.ID] = true
		if _, err := expect.Expected(families, l.ID); err != nil {
			t.Error(err)
		}
	}
	for _, f := range families {
		for _, e := range f.Expectations {
			if !known[e.Lock] {
				t.Errorf("there are expectations of %s, which is no lock", e.Lock)
			}
		}
	}
}
