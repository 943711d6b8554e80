package simpostgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// stage is a cluster with one client process, and what happens to it.
type stage struct {
	t       *testing.T
	world   *sim.World
	cluster *Cluster
	process *sim.Process
	seen    []model.Observation
	began   time.Time
	done    bool // the client is
}

// perform runs a client against a cluster with the table t and the row 1. Acts happen at whole
// seconds, from the first on.
func perform(t *testing.T, o Options, client func(s *stage), acts ...func(s *stage)) *stage {
	t.Helper()
	s := &stage{t: t}
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		w.AnswerUnsupported()
		s.world = w
		s.cluster = New(w, o, func(o model.Observation) {
			if !s.done {
				s.seen = append(s.seen, o)
			}
		})
		if err := s.cluster.Load("CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 0)"); err != nil {
			t.Fatal(err)
		}
		s.seen = nil
		s.process = w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		s.process.Go(func() {
			s.began = time.Now()
			client(s)
			s.done = true
		})
		for i, act := range acts {
			w.At(s.cluster.Nodes()[0].Actor, time.Duration(i+1)*time.Second, sim.EventFault, sim.EventOptions{Vital: true}, func() { act(s) })
		}
	})
	if report.Failure != nil {
		t.Fatalf("the run failed: %v\n%s", report.Failure, report.Failure.Stack)
	}
	return s
}

// until waits until the given number of seconds, and half a second more, have passed.
func (s *stage) until(seconds int) {
	s.process.Step("wait", time.Duration(seconds)*time.Second+time.Second/2-time.Since(s.began))
}

// session connects to an address.
func (s *stage) session(address string) *pgx.Conn { return connect(s.t, s.process, address) }

// must executes statements.
func (s *stage) must(c *pgx.Conn, list ...string) {
	s.t.Helper()
	for _, q := range list {
		if _, err := c.Exec(context.Background(), q); err != nil {
			s.t.Errorf("%s: %v", q, err)
		}
	}
}

// attempt executes a statement, and returns the code of its error, "ok" if it has none, and "lost" if the connection is.
func attempt(c *pgx.Conn, q string) string {
	_, err := c.Exec(context.Background(), q)
	switch e := new(pgconn.PgError); {
	case err == nil:
		return "ok"
	case errors.As(err, &e):
		return e.Code
	}
	return "lost"
}

// value returns the value of the row 1.
func (s *stage) value(c *pgx.Conn) (v int) {
	s.t.Helper()
	if err := c.QueryRow(context.Background(), "SELECT v FROM t WHERE id = 1").Scan(&v); err != nil {
		s.t.Errorf("the row: %v", err)
	}
	return v
}

// observed are the observations of records at a node, in words.
func (s *stage) observed(node string) (list []string) {
	for _, o := range s.seen {
		if o.Node == node && o.Kind.OfRecord() {
			list = append(list, strings.TrimSpace(fmt.Sprint(o.Kind, " ", o.Key)))
		}
	}
	return list
}

func (s *stage) want(node string, want ...string) {
	s.t.Helper()
	if got := s.observed(node); !slices.Equal(got, want) {
		s.t.Errorf("%s: observed %q, want %q", node, got, want)
	}
}

// TestCrash: a crash loses open transactions and locks, and keeps what was committed.
func TestCrash(t *testing.T) {
	s := perform(t, Options{}, func(s *stage) {
		c := s.session(s.cluster.Address())
		s.must(c, "UPDATE t SET v = 1 WHERE id = 1", "SELECT pg_advisory_lock(5)", "BEGIN", "UPDATE t SET v = 2 WHERE id = 1")
		s.until(2)
		if got := attempt(c, "COMMIT"); got != "lost" {
			t.Errorf("COMMIT after a crash: %s", got)
		}
		c = s.session(s.cluster.Address())
		if v := s.value(c); v != 1 {
			t.Errorf("the row has %d", v)
		}
		s.must(c, "UPDATE t SET v = 3 WHERE id = 1")
		_ = c.Close(context.Background())
	}, func(s *stage) { s.cluster.Primary().Crash() }, func(s *stage) {
		if err := s.cluster.Restart(s.cluster.Primary()); err != nil {
			t.Error(err)
		}
	})
	s.want("postgres1", "changed t/1", "created advisory lock 5", "created lock of t/1", "dropped lock of t/1", "dropped advisory lock 5", "changed t/1")
}

// TestClientGone: a statement that waits does not notice that its client is gone: its effects stay. The session's locks are
// given up after that.
func TestClientGone(t *testing.T) {
	s := perform(t, Options{}, func(s *stage) {
		first := s.session(s.cluster.Address())
		s.must(first, "BEGIN", "UPDATE t SET v = 1 WHERE id = 1")
		second, err := s.process.DialContext(context.Background(), "tcp", s.cluster.Address(), 0)
		if err != nil {
			t.Fatal(err)
		}
		f := pgproto3.NewFrontend(second, second) // pgx would send a request to cancel
		f.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "postgres"}})
		f.Send(&pgproto3.Query{String: "SELECT pg_advisory_lock(5); UPDATE t SET v = v + 10 WHERE id = 1"})
		f.Send(&pgproto3.Query{String: "UPDATE t SET v = v + 100 WHERE id = 1"})
		if err := f.Flush(); err != nil {
			t.Fatal(err)
		}
		s.until(0)
		_ = second.Close()
		s.until(1)
		s.must(first, "COMMIT")
		s.until(2)
		if v := s.value(first); v != 111 {
			t.Errorf("the row has %d", v)
		}
		_ = first.Close(context.Background())
	})
	s.want("postgres1", "created lock of t/1", "created advisory lock 5", "changed t/1", "deleted lock of t/1", "changed t/1", "changed t/1", "expired advisory lock 5")
}

// TestFailover: commits that the standby has not received are lost, and dropped when the old primary rejoins.
func TestFailover(t *testing.T) {
	s := perform(t, Options{Replicas: 1}, func(s *stage) {
		c := s.session(s.cluster.Address())
		s.must(c, "UPDATE t SET v = 1 WHERE id = 1")
		standby := s.session(s.cluster.Nodes()[1].Address())
		s.until(0)
		if v := s.value(standby); v != 1 {
			t.Errorf("the standby has %d", v)
		}
		if got := attempt(standby, "UPDATE t SET v = 5 WHERE id = 1"); got != "25006" {
			t.Errorf("an UPDATE on a standby: %s", got)
		}
		if got := attempt(standby, "LISTEN x"); got != "25006" {
			t.Errorf("LISTEN on a standby: %s", got)
		}
		s.must(standby, "SELECT pg_advisory_lock(5)")
		s.until(1)
		s.must(c, "UPDATE t SET v = 2 WHERE id = 1") // the standby is cut off
		s.until(2)
		s.must(standby, "UPDATE t SET v = 7 WHERE id = 1")
		other := s.session(s.cluster.Address())
		if v := s.value(other); v != 7 {
			t.Errorf("the new primary has %d", v)
		}
		s.until(4)
		if got := attempt(c, "SELECT 1"); got != "lost" {
			t.Errorf("the old primary's client: %s", got)
		}
		_ = other.Close(context.Background())
		_ = standby.Close(context.Background())
	}, func(s *stage) {
		s.world.Network().Cut(s.cluster.Nodes()[0].Actor, s.cluster.Nodes()[1].Actor)
	}, func(s *stage) {
		if err := s.cluster.Promote(s.cluster.Nodes()[1]); err != nil {
			t.Error(err)
		}
	}, func(s *stage) {
		s.world.Network().Heal(s.cluster.Nodes()[0].Actor, s.cluster.Nodes()[1].Actor)
		if err := s.cluster.Rejoin(s.cluster.Nodes()[0]); err != nil {
			t.Error(err)
		}
	})
	s.want("postgres1", "changed t/1", "changed t/1", "dropped t/1", "created t/1")
	if !s.cluster.Healed() {
		t.Error("the cluster is not healed")
	}
}

// TestSynchronous: a commit waits for a standby, and keeps its locks meanwhile. It is committed with a warning if it is cancelled.
func TestSynchronous(t *testing.T) {
	perform(t, Options{Replicas: 1, Synchronous: 1}, func(s *stage) {
		c, other := s.session(s.cluster.Address()), s.session(s.cluster.Address())
		s.must(c, "UPDATE t SET v = 1 WHERE id = 1")
		s.until(1) // cut off
		done := make(chan string)
		go func() { done <- attempt(c, "UPDATE t SET v = 2 WHERE id = 1") }()
		s.process.Step("wait", time.Second/10)
		if v := s.value(other); v != 1 {
			t.Errorf("a commit that waits is seen: %d", v)
		}
		if got := attempt(other, "SELECT v FROM t FOR UPDATE NOWAIT"); got != "55P03" {
			t.Errorf("a commit that waits has no lock: %s", got)
		}
		if got := <-done; got != "ok" {
			t.Errorf("the commit: %s", got)
		}
		if d := time.Since(s.began); d < 2*time.Second {
			t.Errorf("it is over after %v", d)
		}
		s.until(3)
		go func() { done <- attempt(c, "UPDATE t SET v = 3 WHERE id = 1") }()
		s.process.Step("wait", time.Second/10)
		s.must(other, fmt.Sprintf("SELECT pg_cancel_backend(%d)", c.PgConn().PID()))
		if got := <-done; got != "ok" {
			t.Errorf("the cancelled commit: %s", got)
		}
		if v := s.value(other); v != 3 {
			t.Errorf("the cancelled commit is not there: %d", v)
		}
		go func() { done <- attempt(c, "UPDATE t SET v = 4 WHERE id = 1") }()
		s.process.Step("wait", time.Second/10)
		s.must(other, fmt.Sprintf("SELECT pg_terminate_backend(%d)", c.PgConn().PID()))
		if got := <-done; got != "lost" {
			t.Errorf("the commit of a session that is terminated: %s", got)
		}
		if v := s.value(other); v != 4 {
			t.Errorf("it is not there: %d", v)
		}
		_ = other.Close(context.Background())
	}, cut, heal, cut)
}

func cut(s *stage) { s.world.Network().Cut(s.cluster.Nodes()[0].Actor, s.cluster.Nodes()[1].Actor) }

func heal(s *stage) {
	s.world.Network().Heal(s.cluster.Nodes()[0].Actor, s.cluster.Nodes()[1].Actor)
}

// TestAsynchronousCommit: a crash loses the last commits of synchronous_commit = off.
func TestAsynchronousCommit(t *testing.T) {
	s := perform(t, Options{SynchronousCommit: "off"}, func(s *stage) {
		c := s.session(s.cluster.Address())
		s.must(c, "UPDATE t SET v = 1 WHERE id = 1")
		s.process.Step("wait", 900*time.Millisecond-time.Since(s.began))
		s.must(c, "UPDATE t SET v = 2 WHERE id = 1")
		s.until(2)
		c = s.session(s.cluster.Address())
		if v := s.value(c); v != 1 {
			t.Errorf("the row has %d", v)
		}
		_ = c.Close(context.Background())
	}, func(s *stage) { s.cluster.Primary().Crash() }, func(s *stage) {
		if err := s.cluster.Restart(s.cluster.Primary()); err != nil {
			t.Error(err)
		}
	})
	s.want("postgres1", "changed t/1", "changed t/1", "dropped t/1", "created t/1")
}

// TestInterrupt: statements that wait are cancelled and time out, and sessions are terminated.
func TestInterrupt(t *testing.T) {
	perform(t, Options{}, func(s *stage) {
		first, second := s.session(s.cluster.Address()), s.session(s.cluster.Address())
		s.must(first, "BEGIN", "UPDATE t SET v = 1 WHERE id = 1")
		pid := second.PgConn().PID()
		done := make(chan string)
		for _, q := range []string{"UPDATE t SET v = 2", "SELECT pg_sleep(100)", "SELECT pg_advisory_lock(1), pg_sleep(9)"} {
			go func() { done <- attempt(second, q) }()
			s.process.Step("wait", time.Second/10)
			s.must(first, fmt.Sprintf("SELECT pg_cancel_backend(%d)", pid))
			if got := <-done; got != "57014" {
				t.Errorf("%s, cancelled: %s", q, got)
			}
		}
		go func() { done <- attempt(second, "UPDATE t SET v = 2") }()
		s.process.Step("wait", time.Second/10)
		if err := second.PgConn().CancelRequest(context.Background()); err != nil {
			t.Error(err)
		}
		if got := <-done; got != "57014" {
			t.Errorf("a request to cancel: %s", got)
		}
		s.must(second, "SET statement_timeout = '2s'")
		if got := attempt(second, "UPDATE t SET v = 2"); got != "57014" {
			t.Errorf("statement_timeout: %s", got)
		}
		if got := attempt(second, "SELECT pg_sleep(3)"); got != "57014" {
			t.Errorf("statement_timeout: %s", got)
		}
		go func() { done <- attempt(second, "UPDATE t SET v = 2") }()
		s.process.Step("wait", time.Second/10)
		s.must(first, fmt.Sprintf("SELECT pg_terminate_backend(%d)", pid))
		if got := <-done; got != "57P01" {
			t.Errorf("terminated: %s", got)
		}
		if got := attempt(second, "SELECT 1"); got != "lost" {
			t.Errorf("after it: %s", got)
		}
		_ = first.Close(context.Background())
	})
}

// TestContenders: a session that waits for a lock, or is about to request one, can be the victim of a deadlock with another program.
func TestContenders(t *testing.T) {
	s := perform(t, Options{}, func(s *stage) {
		first, second := s.session(s.cluster.Address()), s.session(s.cluster.Address())
		s.must(first, "BEGIN", "UPDATE t SET v = 1 WHERE id = 1")
		if got := attempt(second, "UPDATE t SET v = 2 WHERE id = 1"); got != "40P01" {
			t.Errorf("the victim: %s", got)
		}
		s.until(2)
		if got := attempt(second, "UPDATE t SET v = 2 WHERE id = 1"); got != "40P01" {
			t.Errorf("the next victim: %s", got)
		}
		s.must(first, "COMMIT")
		_ = first.Close(context.Background())
		_ = second.Close(context.Background())
	}, func(s *stage) {
		n := s.cluster.Primary()
		list := n.Contenders(sim.Upcoming{})
		if len(list) != 1 {
			t.Fatalf("%d contenders", len(list))
		}
		n.Deadlock(list[0])
	}, func(s *stage) {
		n := s.cluster.Primary()
		if list := n.Contenders(sim.Upcoming{}); len(list) != 0 {
			t.Errorf("%d contenders", len(list))
		}
		n.Deadlock(n.world.Network().Conns(n.Actor)[1])
	})
	deadlocks := 0
	for _, o := range s.seen {
		if o.Note != nil && o.Note.Event == transactionDeadlocked.Event {
			deadlocks++
		}
	}
	if deadlocks != 2 {
		t.Errorf("%d deadlocks are shown", deadlocks)
	}
}

// TestLocks: a segment that is about to arrive is known to ask for locks on rows.
func TestLocks(t *testing.T) {
	sim.Run(sim.Config{}, func(w *sim.World) {
		c := New(w, Options{}, func(model.Observation) {})
		s := newSession(c.Primary(), nil)
		s.statements["s"] = &prepared{text: "DELETE FROM t"}
		for _, test := range []struct {
			segment []byte
			want    bool
		}{
			{encoded(t, &pgproto3.Query{String: "SELECT 1; UPDATE t SET v = 1"}), true},
			{encoded(t, &pgproto3.Query{String: "SELECT 1 FROM t"}), false},
			{encoded(t, &pgproto3.Query{String: "INSERT INTO t VALUES (1)"}), false},
			{encoded(t, &pgproto3.Bind{PreparedStatement: "s"}, &pgproto3.Execute{}, &pgproto3.Sync{}), true},
			{encoded(t, &pgproto3.Bind{PreparedStatement: "s"}, &pgproto3.Sync{}), false},
			{encoded(t, &pgproto3.Parse{Query: "SELECT 1 FROM t FOR SHARE"}, &pgproto3.Bind{}, &pgproto3.Execute{}), true},
			{encoded(t, &pgproto3.Parse{Query: "SELECT 1 FROM t FOR SHARE"}), false},
			{[]byte("Q\x00\x00"), false},
		} {
			if got := s.locks(test.segment); got != test.want {
				t.Errorf("%q: %v", test.segment, got)
			}
		}
	})
}
