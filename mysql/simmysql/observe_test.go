package simmysql

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TestOldOwner: a row that one transaction changes twice had the owner of what was committed before.
func TestOldOwner(t *testing.T) {
	s := run(t, Options{}, func(s *stage) {
		first, second := s.session(s.cluster.Address()), s.session(s.cluster.Address())
		s.must(first, "UPDATE t SET v = 1 WHERE id = 1")
		s.must(second, "BEGIN", "UPDATE t SET v = 2 WHERE id = 1", "UPDATE t SET v = 3 WHERE id = 1", "COMMIT")
	})
	var owners, old []int
	for _, o := range s.seen {
		if o.Kind == model.RecordChanged {
			owners, old = append(owners, o.Owner.Conn), append(old, o.OldOwner.Conn)
		}
	}
	if len(owners) != 2 || owners[0] != 1 || owners[1] != 2 || old[0] != 0 || old[1] != 1 {
		t.Errorf("owners %v, before them %v", owners, old)
	}
}

// TestReadCommittedKeepsItsRows: a statement that does not want a row does not give up the lock of the
// INSERT that has made it.
func TestReadCommittedKeepsItsRows(t *testing.T) {
	s := run(t, Options{}, func(s *stage) {
		first, second := s.session(s.cluster.Address()), s.session(s.cluster.Address())
		s.must(first, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", "BEGIN", "INSERT INTO t VALUES (5, 0)", "UPDATE t SET v = 1 WHERE v = 9")
		if n := attempt(second, "SELECT * FROM t WHERE id = 5 FOR UPDATE NOWAIT"); n != 1205 {
			t.Errorf("error %d", n)
		}
		s.must(first, "COMMIT")
	})
	s.wantTold("mysql1", "session-opened", "session-opened", "created lock of t/5 connection 1", "created t/5 (5, 0)", "deleted lock of t/5 connection 1")
}

// TestClockRead: a committed row says when the clock was read for it, if it has jumped since.
func TestClockRead(t *testing.T) {
	const read = "SELECT NOW(6), v FROM t WHERE id = 1 FOR UPDATE"
	for _, test := range []struct {
		name        string
		before, end []string // what comes before the jump, and after it
		knew        bool
	}{
		{"by the statement that writes", []string{"BEGIN", "UPDATE t SET v = UNIX_TIMESTAMP() WHERE id = 1"}, []string{"COMMIT"}, true},
		{"by a statement before it", []string{"BEGIN", read}, []string{"UPDATE t SET v = 7 WHERE id = 1", "COMMIT"}, true},
		{"by the one after the jump", []string{"BEGIN", read}, []string{"UPDATE t SET v = UNIX_TIMESTAMP() WHERE id = 1", "COMMIT"}, false},
		{"in another transaction", []string{"BEGIN", read, "COMMIT"}, []string{"UPDATE t SET v = 7 WHERE id = 1"}, false},
		{"not at all", []string{"BEGIN", "UPDATE t SET v = 7 WHERE id = 1"}, []string{"COMMIT"}, false},
	} {
		for _, jumps := range []bool{true, false} {
			var at int64
			s := run(t, Options{}, func(s *stage) {
				c := s.session(s.cluster.Address())
				s.must(c, test.before...)
				s.until(1)
				s.must(c, test.end...)
			}, func(s *stage) {
				if at = s.world.Logged(); jumps {
					s.cluster.Nodes()[0].Jump(time.Hour)
				}
			})
			for _, o := range s.seen {
				if knew := o.ClockRead.Happened(); o.Kind == model.RecordChanged && (knew != (test.knew && jumps) || o.ClockRead.Seq > at) {
					t.Errorf("%s, jumped %t: read at %v, and jumped at event %d", test.name, jumps, o.ClockRead, at)
				}
			}
		}
	}
}

// TestTableLock: which session has a table is observed, from LOCK TABLES ... WRITE until it is given up or the connection ends;
// one that waits for it for too long gets an error.
func TestTableLock(t *testing.T) {
	s := run(t, Options{}, func(s *stage) {
		first, second := s.session(s.cluster.Address()), s.session(s.cluster.Address())
		s.must(first, "LOCK TABLES t READ", "LOCK TABLES t WRITE")
		s.must(second, "SET lock_wait_timeout = 1")
		for _, waits := range []string{"LOCK TABLES t WRITE", "SELECT * FROM t WHERE id = 1", "DROP TABLE t"} {
			if n := attempt(second, waits); n != 1205 {
				t.Errorf("%s: error %d", waits, n)
			}
		}
		s.must(first, "UNLOCK TABLES")
		s.must(second, "LOCK TABLES t WRITE")
		if n := attempt(second, "KILL CONNECTION_ID()"); n != 1927 {
			t.Errorf("KILL: error %d", n)
		}
	})
	s.wantTold("mysql1", "session-opened", "session-opened", "created table lock t connection 1", "deleted table lock t connection 1",
		"created table lock t connection 2", "session-closed", "deleted table lock t connection 2")
}
