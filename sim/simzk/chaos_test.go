package simzk_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestNothingIsLost: servers crash, hang and are cut off at random, and messages are late. What
// a client was told to be written is there in the end, all servers agree on it, and there is a
// leader.
func TestNothingIsLost(t *testing.T) {
	seeds := 300
	if testing.Short() {
		seeds = 60
	}
	elections, down := 0, 0
	for seed := range seeds {
		for _, members := range []int{3, 5} {
			more, less := chaos(t, uint64(seed), members)
			elections, down = elections+more, down+less
		}
	}
	if elections < seeds || down < seeds/2 {
		t.Errorf("%d elections in %d runs, and %d leaders gave up", elections, 2*seeds, down)
	}
}

func chaos(t *testing.T, seed uint64, members int) (elections, stepped int) {
	rng := rand.New(rand.NewPCG(seed, uint64(members)))
	var written []string
	e := &ensembleTest{T: t}
	report := sim.Run(sim.Config{Tape: explore.Random(seed, members), Horizon: 5 * time.Minute, MaxEvents: 200_000}, func(w *sim.World) {
		e.world = w
		e.ensemble = newEnsemble(e, members)
		w.Network().SetLink(sim.Link{Base: 100 * time.Microsecond, Jitter: time.Millisecond, Late: []sim.Lateness{
			{By: []time.Duration{tick, session}, Budget: 4, Odds: 50},
		}})
		for range 4 {
			e.strike(rng)
		}
		for range 2 {
			e.client(func(p *sim.Process) {
				conn, _ := e.dial(p, e.ensemble.Addresses()...)
				for i := range 12 {
					path := fmt.Sprintf("/%s-%d", p.Name(), i)
					_, err := conn.Create(path, nil, 0, world)
					if err == nil || errors.Is(err, zk.ErrNodeExists) {
						p.Mark(0, path, func(sim.Event) { written = append(written, path) })
					}
					time.Sleep(200 * time.Millisecond)
				}
			})
		}
		e.at(40*time.Second, func() {}) // long enough for all to come back
	})
	if report.Failure != nil || report.Cut != "" {
		t.Fatalf("seed %d, %d members: %v %s", seed, members, report.Failure, report.Cut)
	}
	all := e.committed("/")
	for _, path := range written {
		if !slices.Contains(all, "created "+path) {
			t.Errorf("seed %d, %d members: %s was lost", seed, members, path)
		}
	}
	if !e.ensemble.Healed() {
		t.Errorf("seed %d, %d members: it has not healed", seed, members)
	}
	for _, n := range e.ensemble.Nodes() {
		if n.Lag() != 0 {
			t.Errorf("seed %d, %d members: %s has %d transactions less than were committed", seed, members, n.Name(), n.Lag())
		}
	}
	for _, o := range e.seen {
		if o.Kind == "promoted" {
			elections++
		}
	}
	return elections, stepsDown(t, fmt.Sprintf("seed %d, %d members", seed, members), e.seen, e.struck)
}

// strike schedules a fault of a server, which is over after a while.
func (e *ensembleTest) strike(rng *rand.Rand) {
	nodes := e.ensemble.Nodes()
	n := nodes[rng.IntN(len(nodes))]
	if rng.IntN(2) == 0 {
		n = nodes[0] // which leads at first
	}
	from := 500*time.Millisecond + time.Duration(rng.IntN(3000))*time.Millisecond
	length := time.Duration(1+rng.IntN(20)) * tick / 2
	e.struck = append(e.struck, span{from, from + length})
	switch rng.IntN(3) {
	case 0:
		e.at(from, n.Crash)
		e.at(from+length, n.Restart)
	case 1:
		e.at(from, func() { n.Hang(length) })
	case 2:
		cut := sim.Partition{A: []*sim.Actor{n.Actor}}
		for _, o := range nodes {
			if o != n && rng.IntN(4) > 0 {
				cut.B = append(cut.B, o.Actor)
			}
		}
		if len(cut.B) == 0 {
			return
		}
		e.at(from, func() { e.world.Network().Part(cut, length) })
		e.at(from+length, func() { e.world.Network().Unite(cut) })
	}
}

// span is a stretch of a run.
type span struct{ from, to time.Duration }

// stepsDown checks, for each leader that gives up, that something has struck a server since
// the last change that it committed, or when it did. On this the checker relies: a change was
// out of reach if something struck before the end of its operation, or if there was an election.
func stepsDown(t *testing.T, name string, seen []model.Observation, struck []span) (times int) {
	t.Helper()
	leader, committed := "", time.Duration(0)
	for _, o := range seen {
		switch {
		case o.Kind == model.Serving || o.Kind == model.Promoted:
			leader, committed = o.Node, o.At
		case o.Kind.OfRecord() && o.Authority != "":
			committed = o.At
		case o.Kind == model.Leaderless && o.Node == leader:
			times++
			leader = ""
			if !slices.ContainsFunc(struck, func(s span) bool { return s.from <= o.At && s.to >= committed }) {
				t.Errorf("%s: %s gave up at %v, and nothing had struck since %v", name, o.Node, o.At, committed)
			}
		}
	}
	return times
}
