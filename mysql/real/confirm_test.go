package real_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/confirmtest"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/mysql/builtin"
	"github.com/lockpick-dev/lockpick/mysql/realmysql"
)

func TestMain(m *testing.M) { confirmtest.Main(m, builtin.Locks()) }

// restart is a counterexample of a lock that a restart forgets.
const restart = "node-restart_db-row_no-lost-update"

// TestTry: a fault that needs nothing, and a lock that a restart forgets, happen on a real server.
func TestTry(t *testing.T) {
	slowtest.SkipIfShort(t)
	realmysql.Need(t)
	for _, name := range []string{"lost-reply_db-row-autocommit_no-lost-update", restart} {
		t.Run(name, func(t *testing.T) {
			confirmtest.Happens(t, confirmtest.Of(t, builtin.Locks(), confirmtest.Read(t, name), ""))
		})
	}
}

// TestSound: a lock that a restart does not lose in place of one that it does is never confirmed.
func TestSound(t *testing.T) {
	slowtest.SkipIfShort(t)
	realmysql.Need(t)
	confirmtest.Never(t, confirmtest.Of(t, builtin.Locks(), confirmtest.Read(t, restart), "db-unique"))
}
