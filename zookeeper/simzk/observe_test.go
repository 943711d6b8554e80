package simzk_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// told are the observations that no verdict rests on, but for renewals of sessions.
func (e *ensembleTest) observed() (list []string) {
	for _, o := range e.seen {
		n := o.Note
		if n == nil || n.Phase == model.PhaseRenews {
			continue
		}
		text := o.Node + " " + n.Event
		if o.Owner.Client != "" {
			text += " of " + o.Owner.Client
		}
		if n.Place == model.PlaceStrip {
			text += fmt.Sprintf(": %s %s", n.Subject, n.Detail)
		}
		list = append(list, text)
	}
	return list
}

// TestToldOfSessions: a session is renewed as long as the leader hears of its client, and
// expires at the end that the last renewal gave it. The client learns of that when it is
// back, and opens another.
func TestToldOfSessions(t *testing.T) {
	e := run(t, 3, func(e *ensembleTest) {
		var servers []*sim.Actor
		for _, n := range e.ensemble.Nodes() {
			servers = append(servers, n.Actor)
		}
		c := e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, e.ensemble.Nodes()[1].Address())
			time.Sleep(5 * session)
			conn.Close()
			time.Sleep(time.Second)
		})
		part := sim.Partition{A: []*sim.Actor{c.Actor}, B: servers}
		e.at(time.Second, func() { e.world.Network().Part(part, 2*session) })
		e.at(time.Second+2*session, func() { e.world.Network().Unite(part) })
	})
	e.wants("observed", e.observed(), []string{
		"zk1 serving", "zk2 session-opened of c1", "zk1 session-expired of c1", "zk2 session-refused of c1", "zk2 session-opened of c1", "zk1 session-closed of c1",
	})
	ends, renewals, name := time.Duration(0), 0, ""
	for _, o := range e.seen {
		switch o.Event() {
		case "session-opened":
			if o.Note.Subject == name {
				t.Errorf("two sessions are called %s", name)
			}
			name, ends = o.Note.Subject, o.ExpiresAt
		case "session-renewed":
			if o.ExpiresAt <= ends || o.ExpiresAt < o.At+session || o.Note.Subject != name {
				t.Errorf("at %v, %s is renewed from %v to %v", o.At, o.Note.Subject, ends, o.ExpiresAt)
			}
			ends = o.ExpiresAt
			renewals++
		case "session-expired":
			if o.At < ends || o.At > ends+tick {
				t.Errorf("a session until %v expires at %v", ends, o.At)
			}
		}
	}
	if renewals < 2 {
		t.Errorf("%d renewals", renewals)
	}
}

// TestToldOfMoves: a client that goes on with its session at another server is seen there.
func TestToldOfMoves(t *testing.T) {
	e := run(t, 3, func(e *ensembleTest) {
		e.at(time.Second, func() { e.ensemble.Nodes()[1].Crash() })
		e.client(func(p *sim.Process) {
			e.dial(p, e.ensemble.Nodes()[1].Address(), e.ensemble.Nodes()[2].Address())
			time.Sleep(2 * session)
		})
	})
	places := map[string]bool{}
	for _, o := range e.seen {
		if n := o.Note; n != nil && (n.Phase == model.PhaseBegins || n.Phase == model.PhaseMoves) {
			places[o.Node] = true
			if o.ExpiresAt <= o.At || o.Authority == "" {
				t.Errorf("%s at %v ends at %v", n.Event, o.At, o.ExpiresAt)
			}
		}
	}
	if !places["zk3"] || places["zk1"] {
		t.Errorf("the client is at %v", places)
	}
}

// TestToldOfWatches: a watch is seen where it is set, and when its client is told.
func TestToldOfWatches(t *testing.T) {
	e := run(t, 3, func(e *ensembleTest) {
		set := make(chan struct{})
		e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, e.ensemble.Nodes()[2].Address())
			_, _, created, err := conn.ExistsW("/a")
			_, _, children, err2 := conn.ChildrenW("/")
			e.note("%v %v", err, err2)
			close(set)
			<-created
			<-children
			_, _, deleted, err := conn.GetW("/a")
			_, _, _, again := conn.GetW("/a")
			e.note("%v %v, %v", err, again, (<-deleted).Type)
		})
		e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, e.ensemble.Nodes()[0].Address())
			<-set
			_, _ = conn.Create("/a", nil, 0, world)
			time.Sleep(time.Second)
			_ = conn.Delete("/a", -1)
		})
	})
	e.wants("log", e.log, []string{"<nil> <nil>", "<nil> <nil>, " + zk.EventNodeDeleted.String()})
	watches := slices.DeleteFunc(e.observed(), func(text string) bool { return text[:len("zk3 watch")] != "zk3 watch" })
	e.wants("watches", watches, []string{
		"zk3 watch-set of c1: /a ", "zk3 watch-set of c1: /, children ",
		"zk3 watch-fired of c1: /a created", "zk3 watch-fired of c1: /, children ",
		"zk3 watch-set of c1: /a ", "zk3 watch-fired of c1: /a deleted",
	})
	for _, o := range e.seen {
		if o.Event() == "watch-fired" && o.By.Client != "c2" {
			t.Errorf("a watch fired at %v because of %q", o.At, o.By.Client)
		}
	}
}

// TestToldOfEpochs: each leader has its epoch, and who loses it has none.
func TestToldOfEpochs(t *testing.T) {
	e := run(t, 3, func(e *ensembleTest) {
		e.at(time.Second, func() { e.ensemble.Nodes()[0].Crash() })
		e.client(func(p *sim.Process) { time.Sleep(3 * time.Second) })
	})
	var list []string
	for _, o := range e.seen {
		if o.Kind == model.Promoted || o.Note != nil && o.Note.Role != "" {
			list = append(list, fmt.Sprintf("%s %s %d", o.Node, o.Event(), o.Epoch))
		}
	}
	e.wants("roles", list, []string{"zk1 serving 1", "zk2 leaderless 0", "zk3 leaderless 0", "zk3 promoted 2"})
}

// TestToldOfEarlyEnds: the leader carries out a client's request, and ends its session before the
// report of the client's server comes. The session's znodes then say until when the client could count
// on it. Those of a session that ends as granted say nothing, also with a single server.
func TestToldOfEarlyEnds(t *testing.T) {
	for _, test := range []struct {
		name    string
		members int
		lag     time.Duration // of the leader's answer to a client that comes to another server
		early   bool
	}{
		{"a report is on its way", 3, session, true},
		{"the report comes in time", 3, session - tick, false},
		{"a lone server", 1, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := run(t, test.members, func(e *ensembleTest) {
				nodes := e.ensemble.Nodes()
				var servers []string
				for i := range nodes { // the follower that crashes first
					servers = append(servers, nodes[len(nodes)-1-i].Address())
				}
				c := e.client(func(p *sim.Process) {
					conn, _ := e.dial(p, servers...)
					_, _ = conn.Create("/held", nil, zk.FlagEphemeral, world)
					for began := time.Now(); time.Since(began) < 2*session; {
						_, _ = conn.Sync("/")
						time.Sleep(5 * time.Millisecond)
					}
				})
				e.client(func(*sim.Process) { time.Sleep(4 * session) })
				e.at(2*session, c.Kill)
				if test.lag > 0 {
					const crash, answers, hop = 1150 * time.Millisecond, 500 * time.Microsecond, 100 * time.Microsecond
					e.at(crash, nodes[2].Crash)
					e.at(crash+answers-hop/2, func() { e.world.Network().SetLink(sim.Link{Base: test.lag}) })
					e.at(crash+answers+hop/2, func() { e.world.Network().SetLink(sim.Link{Base: hop}) })
				}
			})
			i := slices.IndexFunc(e.seen, func(o model.Observation) bool { return o.Kind == model.RecordExpired && o.Authority != "" })
			if i < 0 {
				t.Fatalf("no znode expires: %v\n%v", e.observed(), e.log)
			}
			if o := e.seen[i]; o.ExpiresAt > o.At != test.early || !test.early && o.ExpiresAt != 0 || o.ExpiresAt > o.At+session {
				t.Errorf("at %v a znode expires that should at %v", o.At, o.ExpiresAt)
			}
		})
	}
}
