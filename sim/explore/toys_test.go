package explore

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// toy is a small world without processes: actors that send each other messages.
type toy struct {
	// K senders send one message each, at the same time: to one receiver, or
	// each to its own.
	K   int  `json:"k,omitempty"`
	One bool `json:"one,omitempty"`
	// Mesh, if not zero, seeds a world in which messages lead to messages.
	Mesh uint64 `json:"mesh,omitempty"`
	// Faults are needed, at just these of the places that the run passes, for
	// the property "p" to be violated. The places are of no actor's doing.
	Faults []int `json:"faults,omitempty"`
	Places int   `json:"places,omitempty"`
	// Or is another place at which a fault would do.
	Or int `json:"or,omitempty"`
	// Slow are places at which the latency must not be the calm one, besides.
	Slow []int `json:"slow,omitempty"`
	// Both are two places at which there must be a fault at both or at neither.
	Both [2]int `json:"both,omitzero"`
	// Limit is a place at which a fault violates "p" as a limit only, where the
	// other faults do not make it more.
	Limit int `json:"limit,omitempty"`
	// Dies are the places at which faults, and no others, end the worker.
	Dies []int `json:"dies,omitempty"`
	// Most is how many faults there may be, 0 for any number.
	Most int `json:"most,omitempty"`
	// Noise is how many events there are at each place.
	Noise int `json:"noise,omitempty"`
}

func (c toy) json() json.RawMessage {
	raw, err := json.Marshal(struct {
		Toy toy `json:"toy"`
	}{c})
	if err != nil {
		panic(err)
	}
	return raw
}

func (c toy) run(how Run) Outcome {
	var violated, limit, dies bool
	r := sim.Run(sim.Config{Tape: how.Tape, Record: how.Record, Trail: how.Trail, Progress: how.Progress}, func(w *sim.World) {
		switch {
		case c.Mesh != 0:
			newMesh(w, c.Mesh)
		case c.K > 0:
			c.send(w)
		default:
			violated, limit, dies = c.pass(w)
		}
	})
	o := Outcome{
		Hash: r.Hash, Events: r.EventCount, Simulated: r.Simulated, Failure: r.Failure, Trail: r.Trail, Class: r.Hash,
		Verdicts: []model.Verdict{{Property: "p", Status: model.Holds}}, Happened: 1,
	}
	if dies {
		os.Exit(3)
	}
	if violated || limit {
		o.Verdicts[0].Status, o.Verdicts[0].Limit = model.Violated, !violated
	}
	if how.Record {
		o.Recording = &Recording{Events: r.Events, Choices: r.Choices}
	}
	return o
}

// send is k senders to one receiver, or to k.
func (c toy) send(w *sim.World) {
	receiver := w.NewActor("r")
	for i := range c.K {
		to := receiver
		if !c.One {
			to = w.NewActor(fmt.Sprint("r", i))
		}
		from := w.NewActor(fmt.Sprint("s", i))
		w.Network().Propagate(from, to, w.Network().NewLane(), 0, func(time.Duration, bool) {
			w.Log(sim.Event{Kind: sim.EventDeliver, Actor: to.Name(), Peer: from.Name()})
		})
	}
}

// pass asks at each place whether a fault strikes.
func (c toy) pass(w *sim.World) (violated, limit, dies bool) {
	actor := w.NewActor("a")
	var struck, slow []int
	for i := range c.Places {
		for range c.Noise {
			w.Log(sim.Event{Kind: sim.EventNote, Actor: actor.Name()})
		}
		if w.Choose(sim.Decision{Kind: sim.Latency, Actor: actor.Name(), Options: 4}) > 0 {
			slow = append(slow, i)
		}
		if c.Most > 0 && len(struck) == c.Most {
			continue
		}
		if w.Choose(sim.Decision{Kind: "fault:x", Actor: actor.Name(), Options: 3, Odds: 10}) > 0 {
			struck = append(struck, i)
		}
	}
	limit = c.Limit > 0 && slices.Contains(struck, c.Limit)
	if dies = len(c.Dies) > 0 && slices.Equal(struck, c.Dies); c.Or > 0 && slices.Contains(struck, c.Or) {
		return true, limit, dies
	}
	if slices.Contains(struck, c.Both[0]) != slices.Contains(struck, c.Both[1]) {
		return false, limit, dies
	}
	for _, f := range c.Slow {
		if !slices.Contains(slow, f) {
			return false, limit, dies
		}
	}
	for _, f := range c.Faults {
		if !slices.Contains(struck, f) {
			return false, limit, dies
		}
	}
	return true, limit, dies
}

// mesh is a world of a few actors. What an actor does about a message, to send
// others or to note it for all to see, depends on the seed and on what it has
// had so far.
type mesh struct {
	w      *sim.World
	seed   uint64
	actors []*sim.Actor
	had    []uint64
	lanes  map[[2]int]int64
}

func newMesh(w *sim.World, seed uint64) {
	m := &mesh{w: w, seed: seed, lanes: map[[2]int]int64{}}
	rng := rand.New(rand.NewPCG(seed, 0))
	w.Network().SetLink(sim.Link{
		Base: 200 * time.Microsecond, Jitter: time.Duration(rng.IntN(2)) * 200 * time.Microsecond,
		Late: []sim.Lateness{{By: []time.Duration{400 * time.Microsecond}, Budget: rng.IntN(2), Odds: 4}},
	})
	for i := range 2 + rng.IntN(3) {
		m.actors = append(m.actors, w.NewActor(fmt.Sprint("a", i)))
		m.had = append(m.had, uint64(i))
	}
	for range 2 + rng.IntN(3) {
		m.send(rng.IntN(len(m.actors)), rng.IntN(len(m.actors)), 0)
	}
}

func (m *mesh) send(from, to, hops int) {
	way := [2]int{from, to}
	if m.lanes[way] == 0 {
		m.lanes[way] = m.w.Network().NewLane()
	}
	m.w.Network().Propagate(m.actors[from], m.actors[to], m.lanes[way], 0, func(time.Duration, bool) { m.receive(from, to, hops) })
}

func (m *mesh) receive(from, to, hops int) {
	m.had[to] = m.had[to]*31 + uint64(from) + 1
	rng := rand.New(rand.NewPCG(m.seed, m.had[to]))
	kind := sim.EventDeliver
	if rng.IntN(3) == 0 {
		kind = sim.EventNote
	}
	m.w.Log(sim.Event{Kind: kind, Actor: m.actors[to].Name(), Peer: m.actors[from].Name(), Detail: fmt.Sprint(m.had[to])})
	if hops < 2 && rng.IntN(3) > 0 {
		m.send(to, rng.IntN(len(m.actors)), hops+1)
	}
}
