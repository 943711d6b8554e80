package simpostgres

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TestHang: a server that hangs carries out later what has arrived.
func TestHang(t *testing.T) {
	perform(t, Options{}, func(s *stage) {
		c := s.session(s.cluster.Address())
		s.until(1)
		s.must(c, "UPDATE t SET v = 1 WHERE id = 1")
		if d := time.Since(s.began); d < 3*time.Second {
			t.Errorf("answered after %v", d)
		}
		_ = c.PgConn().Conn().Close()
	}, func(s *stage) { s.cluster.Nodes()[0].Hang(2 * time.Second) })
}

// TestHangWithWaiter: a lock that is given up while the server hangs goes to the session that has waited for it,
// though the wait's time is over when the server goes on.
func TestHangWithWaiter(t *testing.T) {
	for _, test := range []struct{ name, hold, wait, giveBack string }{
		{"row", "UPDATE t SET v = 1 WHERE id = 1", "UPDATE t SET v = 2 WHERE id = 1", "COMMIT"},
		{"advisory lock", "SELECT pg_advisory_lock(1)", "SELECT pg_advisory_lock(1)", "SELECT pg_advisory_unlock(1)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			perform(t, Options{}, func(s *stage) {
				holder, waiter := s.session(s.cluster.Address()), s.session(s.cluster.Address())
				s.must(holder, "BEGIN", test.hold)
				s.must(waiter, "SET lock_timeout = '2s'")
				done := make(chan string, 1)
				go func() { done <- attempt(waiter, test.wait) }()
				s.until(1)
				s.must(holder, test.giveBack)
				if got := <-done; got != "ok" {
					t.Errorf("error %s of the one that has waited", got)
				}
				if d := time.Since(s.began); d < 6*time.Second {
					t.Errorf("all is over after %v", d)
				}
			}, func(s *stage) { s.cluster.Nodes()[0].Hang(5 * time.Second) })
		})
	}
}

// TestHangWithTimeout: a wait whose time is over while the server hangs ends when the server goes on.
func TestHangWithTimeout(t *testing.T) {
	perform(t, Options{}, func(s *stage) {
		holder, waiter := s.session(s.cluster.Address()), s.session(s.cluster.Address())
		s.must(holder, "BEGIN", "UPDATE t SET v = 1 WHERE id = 1")
		s.must(waiter, "SET lock_timeout = '2s'")
		if got := attempt(waiter, "UPDATE t SET v = 2 WHERE id = 1"); got != "55P03" {
			t.Errorf("error %s", got)
		}
		if d := time.Since(s.began); d < 6*time.Second {
			t.Errorf("the wait is over after %v", d)
		}
	}, func(s *stage) { s.cluster.Nodes()[0].Hang(5 * time.Second) })
}

// TestHangWithIdleSession: a request that comes before idle_session_timeout is over keeps the session, though
// the server answers it later.
func TestHangWithIdleSession(t *testing.T) {
	s := perform(t, Options{}, func(s *stage) {
		c := s.session(s.cluster.Address())
		s.must(c, "SET idle_session_timeout = '2s'", "SELECT pg_advisory_lock(1)")
		s.until(1)
		s.must(c, "SELECT 1")
		s.process.Step("think", 100*time.Millisecond)
		s.must(c, "SELECT pg_advisory_unlock(1)")
	}, func(s *stage) { s.cluster.Nodes()[0].Hang(3 * time.Second) })
	for _, o := range s.seen {
		if o.Kind == model.RecordExpired {
			t.Errorf("observed %s %s", o.Kind, o.Key)
		}
	}
}

// TestIdleSession: a session that is idle for too long ends, and its locks with it.
func TestIdleSession(t *testing.T) {
	s := perform(t, Options{}, func(s *stage) {
		c, in := s.session(s.cluster.Address()), s.session(s.cluster.Address())
		s.must(c, "SET idle_session_timeout = '2s'", "SELECT pg_advisory_lock(1)")
		s.must(in, "SET idle_in_transaction_session_timeout = '3s'", "BEGIN", "SELECT * FROM t FOR UPDATE")
		s.until(4)
		if got := attempt(c, "SELECT 1"); got != "57P05" && got != "lost" {
			t.Errorf("after idle_session_timeout: %s", got)
		}
		if got := attempt(in, "SELECT 1"); got != "25P03" && got != "lost" {
			t.Errorf("after idle_in_transaction_session_timeout: %s", got)
		}
	})
	s.want("postgres1", "created advisory lock 1", "created lock of t/1", "expired advisory lock 1", "expired lock of t/1")
}

// TestAcknowledges: what reports a commit is the answer to COMMIT, and to what commits changes by itself.
func TestAcknowledges(t *testing.T) {
	script := []struct {
		query    string
		confirms bool
	}{
		{"COMMIT", false}, // there is no transaction
		{"INSERT INTO t VALUES (2)", true},
		{"INSERT INTO t VALUES (2)", false}, // an error
		{"SELECT 1", false},
		{"BEGIN", false},
		{"INSERT INTO t VALUES (3)", false},
		{"COMMIT", true},
		{"BEGIN; INSERT INTO t VALUES (4); COMMIT", true},
		{"UPDATE t SET id = id WHERE id = 7", false},
		{"BEGIN", false},
		{"DELETE FROM t", false},
		{"ROLLBACK", false},
		{"DELETE FROM t", true},
	}
	perform(t, Options{}, func(s *stage) {
		c := s.session(s.cluster.Address())
		for _, step := range script {
			_ = attempt(c, step.query)
			n := s.cluster.Primary()
			if conns := n.world.Network().Conns(n.Actor); len(conns) != 1 || n.Acknowledges(conns[0]) != step.confirms {
				t.Errorf("%s: %v, want %v", step.query, !step.confirms, step.confirms)
			}
		}
	})
}
