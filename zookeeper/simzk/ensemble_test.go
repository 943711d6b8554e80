package simzk_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/zookeeper/simzk"
)

const (
	tick    = 200 * time.Millisecond
	session = 10 * tick
)

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// dial opens a session of a process at some servers. It is closed when the run is over.
func (e *ensembleTest) dial(p *sim.Process, servers ...string) (*zk.Conn, <-chan zk.Event) {
	conn, events, err := zk.Connect(servers, session, zk.WithLogger(quiet{}), zk.WithLogInfo(false),
		zk.WithMaxBufferSize(4096), zk.WithMaxConnBufferSize(4096),
		zk.WithDialer(func(network, address string, timeout time.Duration) (net.Conn, error) {
			return p.DialContext(context.Background(), network, address, timeout)
		}))
	if err != nil {
		panic(err)
	}
	e.world.OnEnd(conn.Close)
	return conn, events
}

// ensembleTest is a run with an ensemble and clients of it.
type ensembleTest struct {
	*testing.T
	world    *sim.World
	ensemble *simzk.Ensemble
	seen     []model.Observation
	log      []string
	clients  int
	faults   int
}

// note notes what a client saw.
func (e *ensembleTest) note(format string, args ...any) {
	e.log = append(e.log, fmt.Sprintf(format, args...))
}

// client adds a client process.
func (e *ensembleTest) client(work func(p *sim.Process)) *sim.Process {
	e.clients++
	p := e.world.NewProcess(fmt.Sprint("c", e.clients), sim.ProcessOptions{Host: fmt.Sprint("10.0.0.", e.clients)})
	p.Go(func() { work(p) })
	return p
}

// at schedules a fault.
func (e *ensembleTest) at(d time.Duration, f func()) {
	e.faults++
	a := e.world.NewActor(fmt.Sprint("fault", e.faults))
	e.world.At(a, d, sim.EventFault, sim.EventOptions{Vital: true}, f)
}

// run makes a run of an ensemble of so many servers.
func run(t *testing.T, members int, setUp func(e *ensembleTest)) *ensembleTest {
	t.Helper()
	e := &ensembleTest{T: t}
	report := sim.Run(sim.Config{Record: true, Horizon: 5 * time.Minute, MaxEvents: 100_000}, func(w *sim.World) {
		w.AnswerUnsupported()
		e.world = w
		e.ensemble = newEnsemble(e, members)
		w.Network().SetLink(sim.Link{Base: 100 * time.Microsecond, Jitter: 100 * time.Microsecond})
		setUp(e)
	})
	if report.Failure != nil {
		t.Fatalf("%v\n%s", report.Failure, strings.Join(e.log, "\n"))
	}
	if report.Cut != "" {
		t.Fatalf("cut: %s\n%s", report.Cut, strings.Join(e.log, "\n"))
	}
	return e
}

func newEnsemble(e *ensembleTest, members int) *simzk.Ensemble {
	return simzk.New(e.world, simzk.Options{Members: members, Tick: tick}, func(o model.Observation) { e.seen = append(e.seen, o) })
}

// committed are the observations of committed changes of znodes below a path.
func (e *ensembleTest) committed(prefix string) (list []string) {
	for _, o := range e.seen {
		prolonged := o.Kind == model.RecordChanged && o.OldOwner == o.Owner
		if o.Authority != "" && strings.HasPrefix(o.Key, prefix) && !prolonged {
			list = append(list, string(o.Kind)+" "+o.Key)
		}
	}
	return list
}

func (e *ensembleTest) wants(what string, got, want []string) {
	e.Helper()
	if !slices.Equal(got, want) {
		e.Errorf("%s: %q, want %q\n%s", what, got, want, strings.Join(e.log, "\n"))
	}
}

var world = zk.WorldACL(zk.PermAll)

// TestEnsembleServes: what one client writes at one server, another reads at another, after
// a sync.
func TestEnsembleServes(t *testing.T) {
	for _, members := range []int{1, 3, 5, 7} {
		t.Run(fmt.Sprint(members), func(t *testing.T) {
			e := run(t, members, func(e *ensembleTest) {
				written := make(chan struct{})
				addresses := e.ensemble.Addresses()
				e.client(func(p *sim.Process) {
					conn, _ := e.dial(p, addresses[0])
					defer conn.Close()
					if _, err := conn.Create("/a", []byte("1"), 0, world); err != nil {
						t.Error(err)
					}
					close(written)
				})
				e.client(func(p *sim.Process) {
					conn, _ := e.dial(p, addresses[len(addresses)-1])
					defer conn.Close()
					<-written
					if _, err := conn.Sync("/a"); err != nil {
						t.Error(err)
					}
					data, stat, err := conn.Get("/a")
					e.note("%s %d %v", data, stat.Version, err)
				})
			})
			e.wants("read", e.log, []string{"1 0 <nil>"})
			e.wants("committed", e.committed("/a"), []string{"created /a"})
		})
	}
}

// TestLeaderCrash: a write goes on with another leader; nothing that was committed is lost.
func TestLeaderCrash(t *testing.T) {
	e := run(t, 3, func(e *ensembleTest) {
		e.at(time.Second, e.ensemble.Nodes()[0].Crash)
		e.at(3*time.Second, e.ensemble.Nodes()[0].Restart)
		e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, e.ensemble.Addresses()...)
			defer conn.Close()
			for i := range 30 {
				path := fmt.Sprint("/a", i)
				_, err := conn.Create(path, nil, 0, world)
				for err != nil && !errors.Is(err, zk.ErrNodeExists) {
					time.Sleep(100 * time.Millisecond)
					_, err = conn.Create(path, nil, 0, world)
				}
				time.Sleep(100 * time.Millisecond)
			}
			children, _, err := conn.Children("/")
			e.note("%d %v", len(children), err)
		})
	})
	e.wants("children", e.log, []string{"31 <nil>"})
	if got := len(e.committed("/a")); got != 30 {
		t.Errorf("%d znodes were committed", got)
	}
	if !e.ensemble.Healed() || e.ensemble.Leader().Name() == "zk1" {
		t.Errorf("it has not healed: %s leads", e.ensemble.Leader().Name())
	}
}

// TestMinority: a leader that is cut off with a minority commits nothing and disconnects its
// clients; the majority elects another. What the old leader had proposed alone is dropped.
func TestMinority(t *testing.T) {
	e := run(t, 3, func(e *ensembleTest) {
		old := e.ensemble.Nodes()[0]
		others := []*sim.Actor{e.ensemble.Nodes()[1].Actor, e.ensemble.Nodes()[2].Actor}
		c := e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, old.Address())
			_, err := conn.Create("/before", nil, 0, world)
			e.note("c1 before: %v", err)
			time.Sleep(1500*time.Millisecond - e.world.Now())
			_, err = conn.Create("/alone", nil, 0, world)
			e.note("c1 alone: %v", err)
		})
		part := sim.Partition{A: []*sim.Actor{old.Actor, c.Actor}, B: others}
		e.at(time.Second, func() { e.world.Network().Part(part, 9*time.Second) })
		e.at(10*time.Second, func() { e.world.Network().Unite(part) })
		e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, e.ensemble.Nodes()[1].Address(), e.ensemble.Nodes()[2].Address())
			time.Sleep(4 * time.Second)
			_, err := conn.Create("/after", nil, 0, world)
			e.note("c2 after: %v, %s leads", err, e.ensemble.Leader().Name())
			time.Sleep(15 * time.Second)
			children, _, err := conn.Children("/")
			slices.Sort(children)
			e.note("c2 at the end: %v %v", children, err)
		})
	})
	e.wants("log", e.log, []string{
		"c1 before: <nil>", "c1 alone: zk: connection closed", "c2 after: <nil>, zk3 leads", "c2 at the end: [after before zookeeper] <nil>",
	})
	if !e.ensemble.Healed() {
		t.Error("it has not healed")
	}
}

// TestHungLeader: the others elect another leader when theirs hangs for long; when it comes
// to, it follows.
func TestHungLeader(t *testing.T) {
	for _, c := range []struct {
		hang time.Duration
		want string
	}{
		{3 * tick, "zk1"}, // shorter than the others' patience
		{8 * tick, "zk3"},
	} {
		t.Run(c.hang.String(), func(t *testing.T) {
			e := run(t, 3, func(e *ensembleTest) {
				e.at(time.Second, func() { e.ensemble.Nodes()[0].Hang(c.hang) })
				e.client(func(p *sim.Process) {
					conn, _ := e.dial(p, e.ensemble.Nodes()[1].Address())
					time.Sleep(5 * time.Second)
					_, err := conn.Create("/a", nil, 0, world)
					e.note("%v", err)
				})
			})
			e.wants("log", e.log, []string{"<nil>"})
			if got := e.ensemble.Leader().Name(); got != c.want {
				t.Errorf("%s leads, want %s", got, c.want)
			}
			if !e.ensemble.Healed() {
				t.Error("it has not healed")
			}
		})
	}
}

// TestClockOfTheLeader: sessions end early when the leader's clock jumps ahead, and not when a
// follower's does.
func TestClockOfTheLeader(t *testing.T) {
	for i, want := range []string{"expired /a", ""} {
		e := run(t, 3, func(e *ensembleTest) {
			e.at(time.Second, func() { e.ensemble.Nodes()[i].Jump(2 * session) })
			e.client(func(p *sim.Process) {
				conn, _ := e.dial(p, e.ensemble.Addresses()...)
				_, _ = conn.Create("/a", nil, zk.FlagEphemeral, world)
				time.Sleep(2 * time.Second)
			})
			e.at(2*time.Second, func() { e.note("%v", e.committed("/a")[1:]) })
		})
		e.wants(fmt.Sprint("server ", i+1), e.log, []string{"[" + want + "]"})
	}
}

// TestStaleRead: a follower answers from what it has; after a sync it has all.
func TestStaleRead(t *testing.T) {
	e := run(t, 3, func(e *ensembleTest) {
		nodes := e.ensemble.Nodes()
		cut := sim.Partition{A: []*sim.Actor{nodes[2].Actor}, B: []*sim.Actor{nodes[0].Actor, nodes[1].Actor}}
		e.at(time.Second, func() { e.world.Network().Part(cut, 3*tick) })
		e.at(time.Second+3*tick, func() { e.world.Network().Unite(cut) })
		e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, nodes[0].Address())
			time.Sleep(time.Second + tick)
			_, err := conn.Create("/a", nil, 0, world)
			e.note("created: %v", err)
			time.Sleep(5 * tick)
		})
		e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, nodes[2].Address())
			time.Sleep(time.Second + 2*tick)
			there, _, err := conn.Exists("/a")
			e.note("stale: %v %v, %d behind", there, err, nodes[2].Lag())
			_, err = conn.Sync("/a")
			there, _, _ = conn.Exists("/a")
			e.note("synced: %v %v", there, err)
		})
	})
	e.wants("log", e.log, []string{"created: <nil>", "stale: false <nil>, 1 behind", "synced: true <nil>"})
}

// TestEpochsDecideElections: what the leader of an earlier epoch has accepted alone is lost, though its
// number is the greatest, when a server votes that has followed the leader of a later one. If it came
// back, another leader could drop it again when it was committed.
func TestEpochsDecideElections(t *testing.T) {
	e := run(t, 3, func(e *ensembleTest) {
		nodes := e.ensemble.Nodes()
		c := e.client(func(p *sim.Process) {
			conn, _ := e.dial(p, nodes[0].Address(), nodes[1].Address())
			_, err := conn.Create("/first", nil, 0, world)
			e.note("%v", err)
			time.Sleep(session / 2)
			_, _ = conn.Create("/alone", nil, 0, world)
			time.Sleep(2 * session)
			_, err = conn.Sync("/")
			exists, _, err2 := conn.Exists("/alone")
			e.note("%v, %t %v", err, exists, err2)
		})
		part := sim.Partition{A: []*sim.Actor{nodes[0].Actor, c.Actor}, B: []*sim.Actor{nodes[1].Actor, nodes[2].Actor}}
		e.at(session/2-tick, func() { e.world.Network().Part(part, session) })
		e.at(session+tick, func() {
			if leader := e.ensemble.Leader(); leader != nodes[2] {
				e.Errorf("%s leads", leader.Name())
			}
			nodes[2].Crash()
			e.world.Network().Unite(part)
		})
	})
	e.wants("log", e.log, []string{"<nil>", "<nil>, false <nil>"})
	if leader := e.ensemble.Leader(); leader != e.ensemble.Nodes()[1] {
		t.Errorf("%s leads", leader.Name())
	}
}

// TestFailsTheRun: what a real server has fails the run; what none has does not.
func TestFailsTheRun(t *testing.T) {
	for _, test := range []struct {
		name, want string
		ask        func(c *zk.Conn) error
	}{
		{"a container", "the request createContainer", func(c *zk.Conn) error {
			_, err := c.CreateContainer("/a", nil, 4, zk.WorldACL(zk.PermAll))
			return err
		}},
		{"a digest", "access control by the scheme digest", func(c *zk.Conn) error {
			_, err := c.Create("/a", nil, 0, zk.DigestACL(zk.PermAll, "a", "b"))
			return err
		}},
		{"authentication", "the request auth", func(c *zk.Conn) error { return c.AddAuth("digest", []byte("a:b")) }},
		{"no such node", "", func(c *zk.Conn) error { return c.Delete("/none", -1) }},
	} {
		report := sim.Run(sim.Config{Horizon: time.Minute}, func(w *sim.World) {
			e := &ensembleTest{T: t, world: w}
			e.ensemble = newEnsemble(e, 1)
			e.client(func(p *sim.Process) {
				c, _ := e.dial(p, e.ensemble.Addresses()...)
				if err := test.ask(c); err == nil {
					t.Errorf("%s: it succeeded", test.name)
				}
			})
		})
		switch f := report.Failure; {
		case test.want == "" && f == nil:
		case test.want == "" || f == nil || !f.Refused || !strings.HasPrefix(f.Reason, "the simulated ZooKeeper does not support "+test.want+": sent by "):
			t.Errorf("%s: %v, want %q", test.name, f, test.want)
		}
	}
}
