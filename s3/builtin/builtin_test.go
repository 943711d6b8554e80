package builtin_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/claims"
	"github.com/lockpick-dev/lockpick/s3/builtin"
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

// lockTypes are the types of packages s3locks and flawed with the locks that are made of each.
var lockTypes = map[string][]string{"Lease": {"s3-lease"}, "Object": {"s3-object"}, "RepeatedPut": {"s3-repeated-put"}}

// TestComments: what a lock's comment says in parentheses of scenarios and properties is what is expected there.
func TestComments(t *testing.T) {
	const dir = "../s3locks"
	comments, _ := claims.Comments(t, dir)
	flawed, _ := claims.Comments(t, dir+"/flawed")
	maps.Copy(comments, flawed)
	var covered []string
	for name, ids := range lockTypes { // unordered: each by itself
		covered = append(covered, ids...)
		if comments[name] == "" {
			t.Errorf("%s has no comment", name)
		}
		claims.Check(t, builtin.Families(), name, comments[name], ids)
	}
	for _, l := range builtin.Locks() {
		if !slices.Contains(covered, l.ID) {
			t.Errorf("%s is of no type of s3locks", l.ID)
		}
	}
}
