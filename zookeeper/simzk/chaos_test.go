package simzk_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/sim/quorum/quorumtest"
	"github.com/lockpick-dev/lockpick/zookeeper/simzk"
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
	var strikes *quorumtest.Strikes[*simzk.Node]
	report := sim.Run(sim.Config{Tape: explore.Random(seed, members), Horizon: 5 * time.Minute, MaxEvents: 200_000}, func(w *sim.World) {
		e.world = w
		e.ensemble = newEnsemble(e, members)
		w.Network().SetLink(sim.Link{Base: 100 * time.Microsecond, Jitter: time.Millisecond, Late: []sim.Lateness{
			{By: []time.Duration{tick, session}, Budget: 4, Odds: 50},
		}})
		strikes = &quorumtest.Strikes[*simzk.Node]{
			World: w, Servers: e.ensemble.Nodes(), Actor: func(n *simzk.Node) *sim.Actor { return n.Actor }, At: e.at,
			Within: 3 * time.Second, Unit: tick / 2,
		}
		for range 4 {
			strikes.Strike(rng)
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
	return elections, strikes.StepsDown(t, fmt.Sprintf("seed %d, %d members", seed, members), e.seen)
}
