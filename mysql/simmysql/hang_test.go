package simmysql

import (
	"slices"
	"testing"
	"time"
)

// TestHang: a server that hangs carries out later what has arrived.
func TestHang(t *testing.T) {
	run(t, Options{}, func(s *stage) {
		c := s.session(s.cluster.Address())
		s.until(1)
		s.must(c, "UPDATE t SET v = 1 WHERE id = 1")
		if d := time.Since(s.began); d < 3*time.Second {
			t.Errorf("answered after %v", d)
		}
	}, func(s *stage) { s.cluster.Nodes()[0].Hang(2 * time.Second) })
}

// TestHangWithWaiter: a lock that is given up while the server hangs goes to who has waited for it,
// though the wait's time is over when the server has come to.
func TestHangWithWaiter(t *testing.T) {
	for _, test := range []struct {
		name, hold, wait, giveBack string
	}{
		{"row", "UPDATE t SET v = 1 WHERE id = 1", "UPDATE t SET v = 2 WHERE id = 1", "COMMIT"},
		{"named lock", "DO GET_LOCK('a', 0)", "DO GET_LOCK('a', 2)", "DO RELEASE_LOCK('a')"},
	} {
		t.Run(test.name, func(t *testing.T) {
			run(t, Options{}, func(s *stage) {
				holder, waiter := s.session(s.cluster.Address()), s.session(s.cluster.Address())
				s.must(holder, "BEGIN", test.hold)
				s.must(waiter, "SET innodb_lock_wait_timeout = 2")
				done := make(chan int, 1)
				go func() { done <- attempt(waiter, test.wait) }()
				s.until(1)
				s.must(holder, test.giveBack)
				if n := <-done; n != 0 {
					t.Errorf("error %d of the one that has waited", n)
				}
				if d := time.Since(s.began); d < 6*time.Second {
					t.Errorf("all is over after %v", d)
				}
			}, func(s *stage) { s.cluster.Nodes()[0].Hang(5 * time.Second) })
		})
	}
}

// TestHangWithTimeout: a wait whose time is over while the server hangs ends when it has come to.
func TestHangWithTimeout(t *testing.T) {
	run(t, Options{}, func(s *stage) {
		holder, waiter := s.session(s.cluster.Address()), s.session(s.cluster.Address())
		s.must(holder, "BEGIN", "UPDATE t SET v = 1 WHERE id = 1")
		s.must(waiter, "SET innodb_lock_wait_timeout = 2")
		if n := attempt(waiter, "UPDATE t SET v = 2 WHERE id = 1"); n != 1205 {
			t.Errorf("error %d", n)
		}
		if d := time.Since(s.began); d < 6*time.Second {
			t.Errorf("the wait is over after %v", d)
		}
	}, func(s *stage) { s.cluster.Nodes()[0].Hang(5 * time.Second) })
}

// TestHangWithIdleSession: a request that comes before wait_timeout is over keeps the session, though
// the server answers it later.
func TestHangWithIdleSession(t *testing.T) {
	s := run(t, Options{}, func(s *stage) {
		c := s.session(s.cluster.Address())
		s.must(c, "SET wait_timeout = 2", "DO GET_LOCK('a', 0)")
		s.until(1)
		s.must(c, "DO 1")
		s.process.Step("think", 100*time.Millisecond)
		s.must(c, "DO RELEASE_LOCK('a')")
	}, func(s *stage) { s.cluster.Nodes()[0].Hang(3 * time.Second) })
	if slices.Contains(s.observed("mysql1"), "session-expired") {
		t.Errorf("observed %q", s.observed("mysql1"))
	}
}
