package etcd

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/lockpick-dev/lockpick/etcd/store/simetcd"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// plan is what a run consists of.
type plan struct {
	Clients, Rounds, Members int
	Election                 bool
	Leases                   int // that are kept alive besides that of the session
	Threads                  int // of each client, that share its connections; 0 for one
	Late                     int // segments that may be late
	Faults                   []string
	Budget                   int  // of faults
	Outside                  bool // watches wait for a channel from outside of the bubble
}

// calm is a plan of two clients that take a mutex in turn.
var calm = plan{Clients: 2, Rounds: 2, Members: 1}

const (
	ttl      = 2 // seconds, of sessions
	patience = 10 * time.Second
)

// run makes a run of the plan. With makes a client; nil is [New].
func (p plan) run(tape sim.Tape, record bool, with newClient) sim.Report {
	return p.watched(tape, record, nil, with)
}

// random makes a run of a schedule.
func (p plan) random(schedule int, with newClient) sim.Report {
	return p.run(randomTape(schedule), false, with)
}

// watched is run with a counter of progress for a watchdog, or nil.
func (p plan) watched(tape sim.Tape, record bool, progress *atomic.Int64, with newClient) sim.Report {
	if p.Outside {
		valCtxCh = make(chan struct{})
	}
	if with == nil {
		with = New
	}
	return sim.Run(sim.Config{Tape: tape, Record: record, Progress: progress, Horizon: 2 * time.Minute, MaxEvents: 20_000}, func(w *sim.World) {
		link := sim.Link{Base: 200 * time.Microsecond, Jitter: time.Millisecond}
		if p.Late > 0 {
			link.Late = []sim.Lateness{{By: []time.Duration{50 * time.Millisecond, 3 * time.Second}, Budget: p.Late, Odds: 40}}
		}
		w.Network().SetLink(link)
		c := newCluster(w, p.Members)
		f := &faults{world: w, actor: w.NewActor("faults"), cluster: c, plan: p}
		if p.Budget > 0 {
			w.Inject(f)
		}
		for i := range p.Clients {
			process := w.NewProcess(fmt.Sprint("c", i+1), sim.ProcessOptions{Host: fmt.Sprintf("10.0.0.%d", i+1), Threads: p.Threads > 1})
			f.processes = append(f.processes, process)
			client, err := with(process, c.Addresses())
			must(err)
			w.OnEnd(func() { _ = client.Close() })
			for thread := range max(p.Threads, 1) {
				process.Go(func() { p.work(process, thread, client) })
			}
		}
	})
}

// work is what a thread of a client does.
func (p plan) work(process *sim.Process, thread int, client *clientv3.Client) {
	process.SetTask(&sim.Task{Name: fmt.Sprint("thread ", thread)})
	say := func(what string, err error) bool {
		process.Mark(thread, fmt.Sprint(what, ": ", err), func(sim.Event) {})
		return err == nil
	}
	session, err := concurrency.NewSession(client, concurrency.WithTTL(ttl))
	if !say("session", err) {
		return
	}
	for range p.Leases {
		if !say("lease", keepOne(client)) {
			return
		}
	}
	for range p.Rounds {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		acquire, release := p.lock(session)
		if say("acquire", acquire(ctx)) {
			process.Step("work", 5*time.Millisecond)
		}
		say("release", release(ctx))
		cancel()
	}
	say("close", session.Close())
}

// keepOne keeps a new lease alive.
func keepOne(client *clientv3.Client) error {
	granted, err := client.Grant(client.Ctx(), ttl)
	if err != nil {
		return err
	}
	answers, err := client.KeepAlive(client.Ctx(), granted.ID)
	if err != nil {
		return err
	}
	go func() {
		for range answers {
		}
	}()
	return nil
}

// lock is a new mutex, or an election.
func (p plan) lock(session *concurrency.Session) (acquire, release func(context.Context) error) {
	if p.Election {
		e := concurrency.NewElection(session, "/election")
		return func(ctx context.Context) error { return e.Campaign(ctx, "me") }, e.Resign
	}
	m := concurrency.NewMutex(session, "/lock")
	return m.Lock, m.Unlock
}

// faults strike at random, each at the turn of an event.
type faults struct {
	world     *sim.World
	actor     *sim.Actor
	cluster   *cluster
	processes []*sim.Process
	plan      plan
	struck    int
}

// Before decides whether a fault strikes before an event.
func (f *faults) Before(e sim.Upcoming) bool {
	if f.struck == f.plan.Budget || e.Kind == sim.EventFault {
		return false
	}
	option := f.world.Choose(sim.Decision{Kind: "fault:any", Actor: f.actor.Name(), Options: 1 + len(f.plan.Faults)*len(f.processes)*len(f.cluster.Nodes()), Odds: 25})
	if option == 0 {
		return false
	}
	f.struck++
	option--
	kind := f.plan.Faults[option%len(f.plan.Faults)]
	option /= len(f.plan.Faults)
	p := f.processes[option%len(f.processes)]
	n := f.cluster.Nodes()[option/len(f.processes)]
	return f.strike(kind, p, n)
}

// lengths are how long faults last: shorter than all time-outs, or longer than a lease.
func (f *faults) length() time.Duration {
	lengths := []time.Duration{20 * time.Millisecond, 700 * time.Millisecond, 3 * time.Second}
	return lengths[f.world.Choose(sim.Decision{Kind: "fault:length", Actor: f.actor.Name(), Options: len(lengths)})]
}

func (f *faults) strike(kind string, p *sim.Process, server *simetcd.Node) bool {
	n := f.world.Network()
	switch kind {
	case "reset":
		for _, c := range n.Conns(p.Actor) {
			if c.Server() == server.Actor {
				f.world.Fault(p.Actor, "reset", 0)
				c.Reset(nil)
				return true
			}
		}
		return false
	case "cut":
		d := f.length()
		n.Cut(p.Actor, server.Actor)
		f.world.At(f.actor, f.world.Now()+d, sim.EventFault, sim.EventOptions{Vital: true}, func() { n.Heal(p.Actor, server.Actor) })
	case "pause":
		return p.Pause(f.length())
	case "server":
		f.cluster.crash(server, f.length())
	case "away":
		f.cluster.goAway(server, p)
	case "crash":
		p.Crash()
	}
	return true
}

// randomTape is the tape of a schedule.
func randomTape(schedule int) sim.Tape { return explore.Random(1, schedule) }
