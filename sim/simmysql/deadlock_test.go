package simmysql

import (
	"context"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// TestVictimThatWaits: a transaction that waits for a row is ended from outside, with all that it has
// changed; the one that it waits for goes on.
func TestVictimThatWaits(t *testing.T) {
	var contenders []int
	s := run(t, Options{}, func(s *stage) {
		first, second := s.session(s.cluster.Address()), s.session(s.cluster.Address())
		s.must(first, "BEGIN", "SELECT * FROM t WHERE id = 1 FOR UPDATE")
		s.must(second, "BEGIN", "INSERT INTO t VALUES (2, 0)")
		if n := attempt(second, "UPDATE t SET v = 2 WHERE id = 1"); n != 1213 {
			t.Errorf("error %d of the victim", n)
		}
		s.must(first, "INSERT INTO t VALUES (2, 7)", "UPDATE t SET v = 3 WHERE id = 1", "COMMIT")
		if v := s.value(second); v != 3 {
			t.Errorf("the row has %d", v)
		}
	}, func(s *stage) {
		list := s.cluster.Primary().Contenders(sim.Upcoming{})
		for _, c := range list {
			contenders = append(contenders, c.ID())
			s.cluster.Primary().Deadlock(c)
		}
	})
	if len(contenders) != 1 || contenders[0] != 2 {
		t.Errorf("contenders: connections %v", contenders)
	}
	ended := 0
	for _, o := range s.seen {
		if o.Kind == model.TransactionDeadlocked {
			ended++
			if o.Owner.Conn != 2 || o.Owner.Client != "c1" {
				t.Errorf("rolled back: %+v", o.Owner)
			}
		}
	}
	if ended != 1 {
		t.Errorf("%d transactions were rolled back", ended)
	}
}

// victims ends the transaction of every connection that asks for a lock by what is about to arrive.
type victims struct{ node *Node }

func (v victims) Before(e sim.Upcoming) bool {
	if e.Actor != v.node.Actor {
		return false
	}
	for _, c := range v.node.Contenders(e) {
		v.node.Deadlock(c)
	}
	return false
}

// TestVictimThatAsks: a transaction ends when it asks for a lock, and not when it has the lock already, or
// needs none.
func TestVictimThatAsks(t *testing.T) {
	run(t, Options{}, func(s *stage) {
		c := s.session(s.cluster.Address())
		s.must(c, "BEGIN", "SELECT * FROM t WHERE id = 1 FOR UPDATE")
		s.until(1)
		for _, step := range []struct {
			query string
			want  int
		}{
			{"UPDATE t SET v = 1 WHERE id = 1", 0}, // it has the lock
			{"SELECT * FROM t", 0},
			{"INSERT INTO t VALUES (3, 0)", 1213}, // and the UPDATE is undone
			{"COMMIT", 0},
			{"BEGIN", 0},
			{"SELECT * FROM t WHERE id = 1 LOCK IN SHARE MODE", 1213},
			{"DELETE FROM t WHERE id = 1", 1213},
			{"DO 1", 0},
			{"INSERT IGNORE INTO t VALUES (1, 5)", 1213},
		} {
			if n := attempt(c, step.query); n != step.want {
				t.Errorf("%s: error %d, want %d", step.query, n, step.want)
			}
		}
		if _, err := c.ExecContext(context.Background(), "DELETE FROM t WHERE id = ?", 1); err == nil {
			t.Error("a statement that was prepared is none of the victims")
		}
		if v := s.value(c); v != 0 {
			t.Errorf("the row has %d", v)
		}
	}, func(s *stage) { s.world.Inject(victims{s.cluster.Primary()}) })
}
