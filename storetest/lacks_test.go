package storetest

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/teststore"
)

// cloakroom are the reasons why scenarios do not apply to the cloakroom.
var cloakroom = []string{
	"there is nothing to promote in the cloakroom",
	"no ticket in the cloakroom lives with a session",
	"no desk answers clients",
	"the cloakroom elects no desk by itself",
	"the cloakroom has no transactions that clients commit",
	"clients of the cloakroom take no connections from a pool",
	"transactions of the cloakroom do not wait for each other",
	"the tickets of the cloakroom do not move from one server to another",
	"the simulation of the cloakroom has no errors that requests have not caused",
}

// TestLacks: each reason is a scenario's, and each scenario that does not apply gives one of them.
func TestLacks(t *testing.T) {
	l := teststore.Locks()[0]
	for _, test := range []struct {
		name    string
		reasons []string
		want    []string
	}{
		{"all", cloakroom, nil},
		{"one is missing", slices.Delete(slices.Clone(cloakroom), 2, 3), []string{"stale-follower does not apply to " + l.ID + ": no desk answers clients"}},
		{"one too many", append(slices.Clone(cloakroom), "it is closed"), []string{"no scenario does not apply to " + l.ID + " because it is closed"}},
	} {
		if got, err := wrongReasons(l, test.reasons); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
	}
	if _, err := wrongReasons(cell.Lock{ID: "none"}, nil); err == nil {
		t.Error("a lock without a store is no error")
	}
}
