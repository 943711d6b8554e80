package simmysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

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
	ends    []func() error // of what the client has opened
	done    bool           // the client is
}

// run runs a client against a cluster with the table t and the row 1. Acts happen at whole
// seconds, from the first on.
func run(t *testing.T, o Options, client func(s *stage), acts ...func(s *stage)) *stage {
	t.Helper()
	s := &stage{t: t}
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		w.AnswerUnsupported()
		s.world = w
		s.cluster = New(w, o, s.observe)
		if err := s.cluster.Load("CREATE TABLE t (id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 0)"); err != nil {
			t.Fatal(err)
		}
		s.seen = nil
		s.process = w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		s.process.Go(func() {
			s.began = time.Now()
			client(s)
			s.done = true
			for _, end := range s.ends {
				_ = end()
			}
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

func (s *stage) observe(o model.Observation) {
	if !s.done {
		s.seen = append(s.seen, o)
	}
}

// until waits until so many seconds and a half have passed.
func (s *stage) until(seconds int) {
	s.process.Step("wait", time.Duration(seconds)*time.Second+time.Second/2-time.Since(s.began))
}

// observed are the observations of a node, in words, but for those of transactions and waits: see
// TestWaitsTold.
func (s *stage) observed(node string) (list []string) {
	for _, o := range s.seen {
		if o.Node == node && !ofWaits(&o) {
			list = append(list, strings.TrimSpace(fmt.Sprint(o.Event(), " ", o.Key, " ", o.Value)))
		}
	}
	return list
}

func (s *stage) wantTold(node string, want ...string) {
	s.t.Helper()
	if got := s.observed(node); !slices.Equal(got, want) {
		s.t.Errorf("%s observed\n%s\nwant\n%s", node, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// session is a connection of the client's to an address.
func (s *stage) session(address string) *sql.Conn {
	db := open(s.t, s.process, address)
	c, err := db.Conn(context.Background())
	if err != nil {
		s.t.Error(err)
		_ = db.Close()
		runtime.Goexit() // what follows needs the session
	}
	s.ends = append(s.ends, c.Close, db.Close)
	return c
}

// attempt carries out a statement, and returns the number of its error, 0 if there is none, -1 if the
// connection is lost.
func attempt(c *sql.Conn, query string) int {
	_, err := c.ExecContext(context.Background(), query)
	var e *mysql.MySQLError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return int(e.Number)
	}
	return -1
}

func (s *stage) must(c *sql.Conn, queries ...string) {
	s.t.Helper()
	for _, q := range queries {
		if n := attempt(c, q); n != 0 {
			s.t.Errorf("%s: error %d", q, n)
		}
	}
}

// value is the column v of row 1.
func (s *stage) value(c *sql.Conn) (v int) {
	if err := c.QueryRowContext(context.Background(), "SELECT v FROM t WHERE id = 1").Scan(&v); err != nil {
		s.t.Error(err)
	}
	return v
}

// TestFailover: a replica that is promoted has what it had received. What was committed after that is
// lost with all locks, and so is what the old primary still serves when it comes back.
func TestFailover(t *testing.T) {
	s := run(t, Options{Replicas: 1}, func(s *stage) {
		old := s.session(s.cluster.Address())
		s.must(old, "UPDATE t SET v = 1 WHERE id = 1", "DO GET_LOCK('a', 0)")
		s.until(1)
		s.must(old, "UPDATE t SET v = 2 WHERE id = 1") // the replica does not hear of it
		s.until(2)
		s.must(old, "UPDATE t SET v = 3 WHERE id = 1") // it is a primary still, for its clients
		fresh := s.session(s.cluster.Address())
		if v := s.value(fresh); v != 1 {
			t.Errorf("the new primary has %d", v)
		}
		s.must(fresh, "DO GET_LOCK('a', 0)", "UPDATE t SET v = 4 WHERE id = 1")
		s.until(4)
		if n := attempt(old, "UPDATE t SET v = 5 WHERE id = 1"); n != -1 {
			t.Errorf("the old primary's client gets error %d", n)
		}
		if !s.cluster.Healed() {
			t.Error("the cluster is not healed")
		}
	},
		func(s *stage) {
			n := s.cluster.Nodes()
			s.world.Network().Part(sim.Partition{A: []*sim.Actor{n[0].Actor}, B: []*sim.Actor{n[1].Actor}}, 0)
		},
		func(s *stage) { s.promote(1) },
		func(s *stage) {
			n := s.cluster.Nodes()
			s.world.Network().Unite(sim.Partition{A: []*sim.Actor{n[0].Actor}, B: []*sim.Actor{n[1].Actor}})
			if err := s.cluster.Rejoin(n[0]); err != nil {
				t.Error(err)
			}
		})
	s.wantTold("mysql1", "session-opened", "changed t/1 (1, 1)", "created named lock a connection 1",
		"changed t/1 (1, 2)", "changed t/1 (1, 3)", "session-expired", "dropped named lock a connection 1", "returned",
		"dropped t/1 (1, 3)", "created t/1 (1, 4)")
	s.wantTold("mysql2", "changed t/1 (1, 1)", "promoted", "session-opened", "created named lock a connection 2", "changed t/1 (1, 4)")
}

func (s *stage) promote(node int) {
	if err := s.cluster.Promote(s.cluster.Nodes()[node]); err != nil {
		s.t.Error(err)
	}
}

// TestRestart: what was committed stays, and open transactions and locks are gone.
func TestRestart(t *testing.T) {
	s := run(t, Options{}, func(s *stage) {
		c := s.session(s.cluster.Address())
		s.must(c, "UPDATE t SET v = 1 WHERE id = 1", "BEGIN", "UPDATE t SET v = 2 WHERE id = 1", "DO GET_LOCK('a', 0)")
		s.until(1)
		if n := attempt(c, "COMMIT"); n != -1 {
			t.Errorf("error %d of a server that is down", n)
		}
		s.until(2)
		c = s.session(s.cluster.Address())
		if v := s.value(c); v != 1 {
			t.Errorf("the row has %d", v)
		}
		s.must(c, "SELECT * FROM t WHERE id = 1 FOR UPDATE NOWAIT", "DO GET_LOCK('a', 0)")
	},
		func(s *stage) { s.cluster.Nodes()[0].Crash() },
		func(s *stage) {
			if err := s.cluster.Restart(s.cluster.Nodes()[0]); err != nil {
				t.Error(err)
			}
		})
	s.wantTold("mysql1", "session-opened", "changed t/1 (1, 1)", "created lock of t/1 connection 1", "created named lock a connection 1",
		"crashed", "session-expired", "dropped lock of t/1 connection 1", "dropped named lock a connection 1", "returned",
		"session-opened", "created named lock a connection 2")
}

// TestCrashWithWaiters: nobody gets a lock from a server that crashes.
func TestCrashWithWaiters(t *testing.T) {
	s := run(t, Options{}, func(s *stage) {
		holder, named, row := s.session(s.cluster.Address()), s.session(s.cluster.Address()), s.session(s.cluster.Address())
		s.must(holder, "DO GET_LOCK('a', 0)", "BEGIN", "UPDATE t SET v = 1 WHERE id = 1")
		done := make(chan int, 2)
		go func() { done <- attempt(named, "DO GET_LOCK('a', 60)") }()
		go func() { done <- attempt(row, "UPDATE t SET v = 2 WHERE id = 1") }()
		for range 2 {
			if n := <-done; n != -1 {
				t.Errorf("error %d of a server that has crashed", n)
			}
		}
	}, func(s *stage) { s.cluster.Nodes()[0].Crash() })
	s.wantTold("mysql1", "session-opened", "session-opened", "session-opened", "created named lock a connection 1", "created lock of t/1 connection 1",
		"crashed", "session-expired", "dropped lock of t/1 connection 1", "dropped named lock a connection 1", "session-expired", "session-expired")
}

// TestSemiSync: a commit is answered when a replica has it, or when the time is over; then
// the primary does not wait until a replica has caught up.
func TestSemiSync(t *testing.T) {
	run(t, Options{Replicas: 1, SemiSync: true, SemiSyncTimeout: 2 * time.Second}, func(s *stage) {
		c := s.session(s.cluster.Address())
		took := func(query string) time.Duration {
			begin := time.Now()
			s.must(c, query)
			return time.Since(begin)
		}
		if d := took("UPDATE t SET v = 1 WHERE id = 1"); d < 600*time.Microsecond || d > 5*time.Millisecond {
			t.Errorf("a commit takes %v", d)
		}
		s.until(1)
		if d := took("UPDATE t SET v = 2 WHERE id = 1"); d < 2*time.Second || d > 2100*time.Millisecond {
			t.Errorf("a commit without a replica takes %v", d)
		}
		if d := took("UPDATE t SET v = 3 WHERE id = 1"); d > 5*time.Millisecond {
			t.Errorf("a commit after the time-out takes %v", d)
		}
		s.until(5)
		if v := s.value(s.session(s.cluster.Nodes()[1].Address())); v != 3 {
			t.Errorf("the replica has %d", v)
		}
		if d := took("UPDATE t SET v = 4 WHERE id = 1"); d < 600*time.Microsecond {
			t.Errorf("a commit takes %v when the replica is back", d)
		}
	},
		func(s *stage) { s.part(true) }, func(*stage) {}, func(*stage) {}, func(*stage) {}, func(s *stage) { s.part(false) })
}

// part parts the two nodes, or unites them.
func (s *stage) part(parted bool) {
	n := s.cluster.Nodes()
	p := sim.Partition{A: []*sim.Actor{n[0].Actor}, B: []*sim.Actor{n[1].Actor}}
	if parted {
		s.world.Network().Part(p, 0)
		return
	}
	s.world.Network().Unite(p)
}

// TestReplicaRefusesWrites: a replica answers reads, and refuses writes.
func TestReplicaRefusesWrites(t *testing.T) {
	run(t, Options{Replicas: 1}, func(s *stage) {
		c := s.session(s.cluster.Nodes()[1].Address())
		if v := s.value(c); v != 0 {
			t.Errorf("the replica has %d", v)
		}
		for _, q := range []string{"UPDATE t SET v = 1", "INSERT INTO t VALUES (2, 0)", "DELETE FROM t", "CREATE TABLE u (id INT)"} {
			if n := attempt(c, q); n != 1290 {
				t.Errorf("%s: error %d", q, n)
			}
		}
	})
}

// TestDeadClients: a connection that ends gives up its locks at once, but a statement that waits for a
// row keeps its place, and one that waits for a named lock is noticed after half a second.
func TestDeadClients(t *testing.T) {
	s := run(t, Options{}, func(s *stage) {
		ctx := context.Background()
		holder := s.session(s.cluster.Address())
		s.must(holder, "BEGIN", "UPDATE t SET v = 1 WHERE id = 1", "DO GET_LOCK('a', 0)")
		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		if _, err := s.session(s.cluster.Address()).ExecContext(short, "DO GET_LOCK('a', 60)"); err == nil {
			t.Error("there is a lock to be had")
		}
		row, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		if _, err := s.session(s.cluster.Address()).ExecContext(row, "UPDATE t SET v = 2 WHERE id = 1"); err == nil {
			t.Error("there is a row to be had")
		}
		s.until(3)
		s.must(holder, "COMMIT", "DO RELEASE_LOCK('a')")
		s.until(4)
		if v := s.value(holder); v != 2 {
			t.Errorf("the row has %d: the statement of a client that is gone is carried out when its turn comes", v)
		}
	})
	ended := map[int]time.Duration{}
	for _, o := range s.seen {
		if o.Event() == "session-expired" {
			ended[o.Owner.Conn] = o.At
		}
	}
	if d := ended[2]; d < 500*time.Millisecond || d > 1200*time.Millisecond {
		t.Errorf("the end of the one that waits for a named lock is noticed at %v", d)
	}
	if d := ended[3]; d < 3*time.Second {
		t.Errorf("the end of the one that waits for a row is noticed at %v", d)
	}
}

// TestIdle: a session that does nothing for longer than wait_timeout ends with its locks.
func TestIdle(t *testing.T) {
	s := run(t, Options{}, func(s *stage) {
		c := s.session(s.cluster.Address())
		s.must(c, "SET wait_timeout = 2", "DO GET_LOCK('a', 0)")
		s.until(4)
		if n := attempt(c, "SELECT 1"); n != -1 {
			t.Errorf("error %d of a session that has ended", n)
		}
	})
	s.wantTold("mysql1", "session-opened", "created named lock a connection 1", "session-expired", "expired named lock a connection 1")
}

// TestClock: NOW() shows the node's clock, which may jump, and stays what it was within a statement.
func TestClock(t *testing.T) {
	run(t, Options{}, func(s *stage) {
		c := s.session(s.cluster.Address())
		now := func() (m time.Time) {
			if err := c.QueryRowContext(context.Background(), "SELECT NOW(6)").Scan(&m); err != nil {
				t.Error(err)
			}
			return m
		}
		before := now()
		s.until(1)
		if d := now().Sub(before); d < time.Hour || d > time.Hour+2*time.Second {
			t.Errorf("the clock went on by %v", d)
		}
	}, func(s *stage) { s.cluster.Nodes()[0].Jump(time.Hour) })
}
