package realserver

import (
	"slices"
	"strings"
	"testing"
)

// TestCanLead: a member can lead that runs, and that hears a majority and is heard by it.
func TestCanLead(t *testing.T) {
	members := []string{"a", "b", "c"}
	for _, test := range []struct {
		name string
		out  string // members that do not run
		held string // what goes from one to another, as "a>b"
		want string // who can lead
	}{
		{"all run", "", "", "a b c"},
		{"one is out", "a", "", "b c"},
		{"two are out", "a b", "", ""},
		{"one is cut off", "", "a>b b>a a>c c>a", "b c"},
		{"one is not heard", "", "a>b a>c", "b c"},
		{"one does not hear", "", "b>a c>a", "b c"},
		{"one is cut off from one that is out", "c", "a>c", "a b"},
		{"one is cut off, and another is out", "c", "a>b", ""},
		{"two do not hear each other", "", "a>b", "a b c"},
	} {
		e := Ensemble{Apart: func(from, to string) bool { return slices.Contains(strings.Fields(test.held), from+">"+to) }}
		for _, m := range strings.Fields(test.out) {
			e = e.With(m, true)
		}
		var can []string
		for _, m := range members {
			if e.CanLead(members, m) {
				can = append(can, m)
			}
		}
		if got := strings.Join(can, " "); got != test.want {
			t.Errorf("%s: %q can lead, want %q", test.name, got, test.want)
		}
	}
	back := Ensemble{}.With("a", true).With("a", false)
	if !back.CanLead(members, "a") {
		t.Error("a member that is back cannot lead")
	}
}
