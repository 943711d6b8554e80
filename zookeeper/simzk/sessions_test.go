package simzk_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestSessionEnds: the ephemeral znode of a client that is gone vanishes when its session
// ends, and not before; a watcher is notified.
func TestSessionEnds(t *testing.T) {
	e := run(t, 3, func(e *ensembleTest) {
		there := make(chan struct{})
		addresses := e.ensemble.Addresses()
		p := e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, addresses[1])
			_, err := conn.Create("/a", nil, zk.FlagEphemeral, world)
			if err != nil {
				t.Error(err)
			}
			close(there)
			<-p.Ended()
		})
		e.at(time.Second, p.Crash)
		e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, addresses[2])
			defer conn.Close()
			<-there
			_, _, events, err := conn.ExistsW("/a")
			if err != nil {
				t.Error(err)
			}
			e.note("%v", (<-events).Type)
			if now := e.world.Now(); now < time.Second+session/2 || now > time.Second+session+3*tick {
				t.Errorf("the session ended at %v", now)
			}
		})
	})
	e.wants("seen", e.log, []string{"EventNodeDeleted"})
	e.wants("committed", e.committed("/a"), []string{"created /a", "expired /a"})
}

// TestMinorityEndsNoSession: a leader that is cut off, and whose clock says that a session has ended, answers its
// client nothing more, and nothing comes of it: the session goes on when the servers are together again. A
// real ensemble of three (3.8.0, its followers stopped, a session that has sent nothing for longer than its time-out)
// answers neither a write nor a ping nor a read either, until the leader gives up and closes the connection.
func TestMinorityEndsNoSession(t *testing.T) {
	for _, c := range []struct{ members, at int }{
		{3, 0}, // a client of the leader
		{5, 1}, // and of a follower that is cut off with it
	} {
		minorityEndsNoSession(t, c.members, c.at)
	}
}

func minorityEndsNoSession(t *testing.T, members, at int) {
	t.Helper()
	e := run(t, members, func(e *ensembleTest) {
		nodes := e.ensemble.Nodes()
		c := e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, nodes[at].Address())
			_, err := conn.Create("/mine", nil, zk.FlagEphemeral, world)
			id := conn.SessionID()
			e.note("created: %v", err)
			time.Sleep(1200*time.Millisecond - e.world.Now())
			err = conn.Delete("/mine", -1)
			e.note("deleted: %v, not before the leader gave up: %v", err, e.world.Now() > 1900*time.Millisecond)
			there, _, err := conn.Exists("/mine")
			e.note("there: %v %v, same session: %v", there, err, conn.SessionID() == id)
		})
		part := sim.Partition{A: []*sim.Actor{c.Actor}}
		for i, n := range nodes {
			if i <= at {
				part.A = append(part.A, n.Actor)
			} else {
				part.B = append(part.B, n.Actor)
			}
		}
		e.at(time.Second, func() { e.world.Network().Part(part, 1500*time.Millisecond) })
		e.at(1100*time.Millisecond, func() { nodes[0].Jump(2 * session) })
		e.at(2500*time.Millisecond, func() { e.world.Network().Unite(part) })
	})
	e.wants("log", e.log, []string{
		"created: <nil>", "deleted: zk: connection closed, not before the leader gave up: true", "there: true <nil>, same session: true",
	})
}

// TestEndedSessionWrites: a write by way of a follower in a session that the leader has just ended does nothing, and the client learns
// that its session has ended.
func TestEndedSessionWrites(t *testing.T) {
	e := run(t, 3, func(e *ensembleTest) {
		nodes := e.ensemble.Nodes()
		e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, nodes[1].Address())
			_, err := conn.Create("/mine", nil, zk.FlagEphemeral, world)
			id := conn.SessionID()
			e.note("created: %v", err)
			time.Sleep(time.Second - e.world.Now())
			_, err = conn.Create("/more", nil, 0, world) // it is under way when the clock jumps
			e.note("more: %v", err)
			for conn.SessionID() == id {
				time.Sleep(tick)
			}
			children, _, err := conn.Children("/")
			e.note("%v %v", children, err)
		})
		e.at(time.Second, func() { nodes[0].Jump(2 * session) })
	})
	e.wants("log", e.log, []string{"created: <nil>", "more: zk: connection closed", "[zookeeper] <nil>"})
}

// TestLateWrite: a write that reaches the server that its session has left does nothing.
func TestLateWrite(t *testing.T) {
	e := run(t, 3, func(e *ensembleTest) {
		followers := e.ensemble.Nodes()[1:]
		old := "" // the server that it begins with
		c := e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, followers[0].Address(), followers[1].Address())
			_, err := conn.Create("/mine", nil, zk.FlagEphemeral, world)
			id := conn.SessionID()
			old = conn.Server()
			e.note("created: %v", err)
			time.Sleep(5*time.Second - e.world.Now())
			err = conn.Delete("/mine", -1)
			e.note("deleted: %v", err)
			time.Sleep(11*time.Second - e.world.Now())
			there, _, err := conn.Exists("/mine")
			e.note("there: %v %v, same session: %v, moved: %v", there, err, conn.SessionID() == id, conn.Server() != old)
		})
		for _, n := range followers {
			part := sim.Partition{A: []*sim.Actor{c.Actor}, B: []*sim.Actor{n.Actor}}
			only := func(f func()) func() {
				return func() {
					if n.Address() == old {
						f()
					}
				}
			}
			e.at(4999*time.Millisecond, only(func() { e.world.Network().Part(part, 4*time.Second) }))
			e.at(9*time.Second, only(func() { e.world.Network().Unite(part) }))
		}
	})
	e.wants("log", e.log, []string{"created: <nil>", "deleted: zk: connection closed", "there: true <nil>, same session: true, moved: true"})
}

// TestSessionMoves: a session goes on at another server when its own ends, with its znodes and
// its watches.
func TestSessionMoves(t *testing.T) {
	e := run(t, 3, func(e *ensembleTest) {
		var id int64
		server := ""
		for _, n := range e.ensemble.Nodes() {
			e.at(500*time.Millisecond, func() {
				if n.Address() == server {
					n.Crash()
				}
			})
		}
		e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, e.ensemble.Addresses()...)
			_, err := conn.Create("/mine", nil, zk.FlagEphemeral, world)
			_, _, events, err2 := conn.ExistsW("/theirs")
			id = conn.SessionID()
			e.note("%v %v", err, err2)
			server = conn.Server()
			event := <-events
			e.note("%v, same session: %v", event.Type, conn.SessionID() == id)
			there, _, err := conn.Exists("/mine")
			e.note("mine: %v %v", there, err)
		})
		e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, e.ensemble.Addresses()...)
			time.Sleep(time.Second)
			for {
				if _, err := conn.Create("/theirs", nil, 0, world); err == nil || errors.Is(err, zk.ErrNodeExists) {
					return
				}
				time.Sleep(100 * time.Millisecond)
			}
		})
	})
	e.wants("log", e.log, []string{"<nil> <nil>", "EventNodeCreated, same session: true", "mine: true <nil>"})
}

// TestSessionsEndInHang: a server that hangs for longer than a session ends it when it goes on, though its client has sent
// pings all the time. A real server does: 10 of 10 (3.8.0, SIGSTOP for 3.3 s, sessions of 2 s). It keeps it after a
// shorter hang.
func TestSessionsEndInHang(t *testing.T) {
	for hang, want := range map[time.Duration]string{session + 6*tick: "expired /mine", 2 * tick: ""} { // unordered: each by itself
		e := run(t, 1, func(e *ensembleTest) {
			e.client(func(p *sim.Process) {
				conn, _ := e.dial(p, e.ensemble.Addresses()...)
				_, err := conn.Create("/mine", nil, zk.FlagEphemeral, world)
				e.note("%v", err)
				time.Sleep(3 * session)
			})
			e.at(time.Second, func() { e.ensemble.Nodes()[0].Hang(hang) })
		})
		got := e.committed("/mine")
		if has := slices.Contains(got, "expired /mine"); has != (want != "") {
			t.Errorf("after a hang of %v: %v, want %q", hang, got, want)
		}
	}
}
