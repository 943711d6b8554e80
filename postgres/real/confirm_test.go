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
// that is compared with itself. Shared is one of a session's lock behind a pooler that gives its session to others, and
// stopped one behind a pooler that does not, of a client that waits until the session of another ends.
const (
	late      = "gc-pause_pg-lease-upsert_threads-1_truthful-extend"
	asPrinted = "contention_pg-optimistic-as-printed_linearizable"
	shared    = "contention_pg-advisory_pooler-transaction_mutual-exclusion"
	stopped   = "gc-pause_pg-advisory_pooler-session_mutual-exclusion_limit"
)

// TestTry: what the flawed locks do happens on a real server, and behind a real pooler.
func TestTry(t *testing.T) {
	slowtest.SkipIfShort(t)
	realpostgres.Need(t)
	realpostgres.NeedPooler(t)
	for _, name := range []string{late, asPrinted, shared, stopped} {
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

// TestPoolerMissing: without a PgBouncer a trace behind one says what to install.
func TestPoolerMissing(t *testing.T) {
	realpostgres.Need(t)
	kind := realpostgres.PoolerKind
	defer func() { realpostgres.PoolerKind = kind }()
	realpostgres.PoolerKind.Missing = func() string { return "there is no pgbouncer" }
	_, err := confirmtest.Of(t, real.New, builtin.Locks(), confirmtest.Read(t, shared), "").Try(t.Context())
	if err == nil || err.Error() != "there is no PgBouncer: there is no pgbouncer; install it (Debian: apt install pgbouncer)" {
		t.Errorf("%v", err)
	}
}

// TestShared: a lock that ends with its transaction, in place of one that does not, is never confirmed.
func TestShared(t *testing.T) {
	slowtest.SkipIfShort(t)
	realpostgres.Need(t)
	realpostgres.NeedPooler(t)
	confirmtest.Never(t, confirmtest.Of(t, real.New, builtin.Locks(), confirmtest.Read(t, shared), "pg-advisory-xact"))
}
