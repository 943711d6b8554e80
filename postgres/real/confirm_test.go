package real_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/postgres/builtin"
	"github.com/lockpick-dev/lockpick/postgres/real"
	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
	"github.com/lockpick-dev/lockpick/real/confirmtest"
)

func TestMain(m *testing.M) { confirmtest.Main(m, builtin.Locks()) }

// late is a counterexample of a lease whose late extension takes the lock from its new owner, and asPrinted one of a version
// that is compared with itself.
const (
	late      = "gc-pause_pg-lease-upsert_truthful-extend"
	asPrinted = "contention_pg-optimistic-as-printed_linearizable"
)

// TestTry: what the flawed locks do happens on a real server.
func TestTry(t *testing.T) {
	slowtest.SkipIfShort(t)
	realpostgres.Need(t)
	for _, name := range []string{late, asPrinted} {
		t.Run(name, func(t *testing.T) {
			confirmtest.Happens(t, confirmtest.Of(t, real.New, builtin.Locks(), confirmtest.Read(t, name), ""))
		})
	}
}

// TestSound: a lock that extends its own lease only, in place of one that does not, is never confirmed.
func TestSound(t *testing.T) {
	slowtest.SkipIfShort(t)
	realpostgres.Need(t)
	confirmtest.Never(t, confirmtest.Of(t, real.New, builtin.Locks(), confirmtest.Read(t, late), "pg-lease"))
}
