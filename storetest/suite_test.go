package storetest

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/teststore"
)

// TestCellOfASuite: an unknown scenario, lock or parameter is an error that names it.
func TestCellOfASuite(t *testing.T) {
	for _, e := range []struct{ scenario, lock, param, want string }{
		{"contention", the, "clients", ""},
		{"no-such", the, "clients", "no-such"},
		{"contention", "no-such", "clients", "no-such"},
		{"contention", the, "no-such", "no-such"},
	} {
		s := Suite{Locks: Locks(nil, teststore.Store), Scenario: e.scenario, Params: [][2]string{{e.param, "2"}}}
		c, err := s.cell(e.lock)
		switch {
		case e.want == "" && (err != nil || c.Params.Clients != 2):
			t.Errorf("%+v: %v, %d clients", e, err, c.Params.Clients)
		case e.want != "" && (err == nil || !strings.Contains(err.Error(), e.want)):
			t.Errorf("%+v: %v", e, err)
		}
	}
}
