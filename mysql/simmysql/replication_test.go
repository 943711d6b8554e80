package simmysql

import (
	"context"
	"database/sql"
	"slices"
	"testing"
	"time"
)

// restart brings the first node back.
func (s *stage) restart() {
	if err := s.cluster.Restart(s.cluster.Nodes()[0]); err != nil {
		s.t.Error(err)
	}
}

// TestSemiSyncCrash: a commit that waits for a replica when the server crashes is in the log: the
// restarted server has it.
func TestSemiSyncCrash(t *testing.T) {
	s := run(t, Options{Replicas: 1, SemiSync: true}, func(s *stage) {
		c := s.session(s.cluster.Address())
		s.until(1)
		if n := attempt(c, "UPDATE t SET v = 7 WHERE id = 1"); n != -1 {
			t.Errorf("error %d of a server that has crashed", n)
		}
		s.until(4)
		c = s.session(s.cluster.Address())
		if v := s.value(c); v != 7 {
			t.Errorf("the row has %d", v)
		}
		s.must(c, "UPDATE t SET v = 8 WHERE id = 1")
		if v := s.value(s.session(s.cluster.Nodes()[1].Address())); v != 8 {
			t.Errorf("the replica has %d", v)
		}
	}, func(s *stage) { s.part(true) }, func(s *stage) { s.cluster.Nodes()[0].Crash() }, func(s *stage) { s.part(false); s.restart() })
	s.wantTold("mysql1", "session-opened", "created lock of t/1 connection 1", "crashed", "dropped lock of t/1 connection 1", "session-expired",
		"returned", "changed t/1 (1, 7)", "session-opened", "created lock of t/1 connection 2", "changed t/1 (1, 8)", "deleted lock of t/1 connection 2")
}

// TestSemiSyncRejoin: a commit that waits for a replica when the old primary rejoins is one that it
// alone had.
func TestSemiSyncRejoin(t *testing.T) {
	s := run(t, Options{Replicas: 1, SemiSync: true}, func(s *stage) {
		c := s.session(s.cluster.Address())
		s.until(1)
		if n := attempt(c, "UPDATE t SET v = 7 WHERE id = 1"); n != -1 {
			t.Errorf("error %d of a server that rejoins", n)
		}
		s.until(3)
		if v := s.value(s.session(s.cluster.Nodes()[0].Address())); v != 0 {
			t.Errorf("the row has %d", v)
		}
	}, func(s *stage) { s.part(true) }, func(s *stage) {
		s.promote(1)
		s.part(false)
		if err := s.cluster.Rejoin(s.cluster.Nodes()[0]); err != nil {
			t.Error(err)
		}
	})
	if observed := s.observed("mysql1"); !slices.Contains(observed, "dropped t/1 (1, 7)") {
		t.Errorf("observed %q", observed)
	}
}

// TestSemiSyncJoin: a commit that waits for a replica when none follows is answered when one follows again,
// which has it then.
func TestSemiSyncJoin(t *testing.T) {
	run(t, Options{Replicas: 1, SemiSync: true}, func(s *stage) {
		s.until(2)
		c := s.session(s.cluster.Nodes()[1].Address())
		begin := time.Now()
		s.must(c, "UPDATE t SET v = 7 WHERE id = 1")
		if d := time.Since(begin); d > 3*time.Second {
			t.Errorf("the commit takes %v: it waits for its time-out, though a replica follows", d)
		}
		if v := s.value(s.session(s.cluster.Nodes()[0].Address())); v != 7 {
			t.Errorf("the replica has %d", v)
		}
	}, func(s *stage) {
		s.cluster.Nodes()[0].Crash()
		s.promote(1)
	}, func(*stage) {}, func(s *stage) {
		if err := s.cluster.Rejoin(s.cluster.Nodes()[0]); err != nil {
			t.Error(err)
		}
	})
}

// TestSemiSyncKill: KILL ends the wait for a replica, and not the commit.
func TestSemiSyncKill(t *testing.T) {
	for _, kill := range []string{"KILL QUERY 1", "KILL 1"} {
		run(t, Options{Replicas: 1, SemiSync: true}, func(s *stage) {
			c, killer := s.session(s.cluster.Address()), s.session(s.cluster.Address())
			s.until(1)
			done := make(chan int, 1)
			go func() { done <- attempt(c, "UPDATE t SET v = 7 WHERE id = 1") }()
			s.process.Step("wait", 100*time.Millisecond)
			s.must(killer, kill)
			if n := <-done; n != 0 {
				t.Errorf("%s: error %d", kill, n)
			}
			s.until(3)
			if v, other := s.value(killer), s.value(s.session(s.cluster.Nodes()[1].Address())); v != 7 || other != 7 {
				t.Errorf("%s: the primary has %d, the replica %d", kill, v, other)
			}
			if !s.cluster.Healed() {
				t.Errorf("%s: the cluster is not healed", kill)
			}
		}, func(s *stage) { s.part(true) }, func(s *stage) { s.part(false) })
	}
}

// TestTableGone: a table is dropped or emptied when the transactions that use it have ended. Its rows are gone with it, here
// and there, and a table of the same name has none of them.
func TestTableGone(t *testing.T) {
	for _, test := range []struct{ name, definition string }{
		{"drop", "DROP TABLE t"}, {"truncate", "TRUNCATE TABLE t"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := run(t, Options{Replicas: 1}, func(s *stage) {
				writer, other := s.session(s.cluster.Address()), s.session(s.cluster.Address())
				s.must(writer, "BEGIN", "INSERT INTO t VALUES (2, 2)", "UPDATE t SET v = 9 WHERE id = 1")
				gone := make(chan int, 1)
				go func() { gone <- attempt(other, test.definition) }()
				s.process.Step("wait", 100*time.Millisecond)
				select {
				case n := <-gone:
					t.Errorf("it did not wait for the transaction: error %d", n)
				default:
				}
				s.must(writer, "COMMIT")
				if n := <-gone; n != 0 {
					t.Errorf("error %d", n)
				}
				s.must(other, "CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, v INT)")
				s.until(1)
				for _, n := range s.cluster.Nodes() {
					rows := 0
					if err := s.session(n.Address()).QueryRowContext(context.Background(), "SELECT COUNT(*) FROM t").Scan(&rows); err != nil || rows != 0 {
						t.Errorf("%s has %d rows: %v", n.Name(), rows, err)
					}
				}
			})
			for _, node := range []string{"mysql1", "mysql2"} {
				observed := slices.DeleteFunc(s.observed(node), func(line string) bool { return line == "session-opened" })
				want := []string{"created t/2 (2, 2)", "changed t/1 (1, 9)", "deleted t/1 (1, 9)", "deleted t/2 (2, 2)"}
				if node == "mysql1" {
					want = slices.Insert(want, 2, "deleted lock of t/1 connection 1", "deleted lock of t/2 connection 1")
					want = slices.Insert(want, 0, "created lock of t/2 connection 1", "created lock of t/1 connection 1")
				}
				if !slices.Equal(observed, want) {
					t.Errorf("%s observed %q", node, observed)
				}
			}
		})
	}
}

// TestNumbersAfterFailover: the numbers of AUTO_INCREMENT, and of rows without a primary key, go on where
// they were.
func TestNumbersAfterFailover(t *testing.T) {
	run(t, Options{Replicas: 2}, func(s *stage) {
		insert := func(c *sql.Conn) int64 {
			r, err := c.ExecContext(context.Background(), "INSERT INTO q (v) VALUES (1)")
			if err != nil {
				t.Fatal(err)
			}
			id, _ := r.LastInsertId()
			return id
		}
		c := s.session(s.cluster.Address())
		s.must(c, "CREATE TABLE q (id INT PRIMARY KEY AUTO_INCREMENT, v INT)", "CREATE TABLE log (v INT)", "INSERT INTO log VALUES (1)")
		if first, second := insert(c), insert(c); first != 1 || second != 2 {
			t.Errorf("numbers %d and %d", first, second)
		}
		s.must(c, "DELETE FROM q")
		s.until(2)
		s.must(s.session(s.cluster.Address()), "INSERT INTO log VALUES (2)")
		s.until(3)
		c = s.session(s.cluster.Address())
		s.must(c, "INSERT INTO log VALUES (3)")
		if n := insert(c); n != 3 {
			t.Errorf("number %d after two failovers", n)
		}
	}, func(*stage) {}, func(s *stage) { s.promote(1) }, func(s *stage) { s.promote(2) })
}

// TestPromoteWithoutCopy: a replica that waits for its full copy is not promoted: it has lost commits still.
func TestPromoteWithoutCopy(t *testing.T) {
	run(t, Options{Replicas: 1}, func(s *stage) {
		s.until(3)
	}, func(s *stage) { s.part(true) }, func(s *stage) { s.promote(1) }, func(s *stage) {
		if err := s.cluster.Rejoin(s.cluster.Nodes()[0]); err != nil {
			t.Error(err)
		}
		if !s.cluster.Nodes()[0].Syncing() {
			t.Error("the copy has arrived")
		}
		if err := s.cluster.Promote(s.cluster.Nodes()[0]); err == nil {
			t.Error("a replica without its copy is promoted")
		}
	})
}

// TestLoadRefuses: what has no end before the run cannot be loaded.
func TestLoadRefuses(t *testing.T) {
	run(t, Options{}, func(s *stage) { s.until(1) }, func(s *stage) {
		for _, q := range []string{"DO SLEEP(5)", "START TRANSACTION", "SELECT", "DROP TABLE nothing"} {
			if err := s.cluster.Load(q); err == nil {
				t.Errorf("%s is loaded", q)
			}
		}
		if open := len(s.cluster.Nodes()[0].data.Open()); open != 0 {
			t.Errorf("%d transactions are open", open)
		}
	})
}
