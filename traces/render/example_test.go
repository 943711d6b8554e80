package render_test

import (
	"fmt"
	"os"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// small is a trace as a simulation records it, only shorter: two clients were
// both told that they hold the lock.
func small() *traces.Trace {
	at := func(seq int64) model.Stamp { return model.Stamp{Seq: seq, At: time.Duration(seq) * time.Second} }
	t := &traces.Trace{
		Schema: traces.Schema, Scenario: "gc-pause", Lock: "mylock", Seed: 42, Schedule: 17, Property: "mutual-exclusion",
		Made:   traces.Versions{"lockpick": "v0.1.0", "go": "go1.26.8", "go-redis": "v9.7.0"},
		Actors: []traces.Actor{{Name: "c1", Kind: traces.ClientActor}, {Name: "c2", Kind: traces.ClientActor}},
		Tape:   []sim.Choice{{Kind: "fault:pause", Actor: "c1", Options: 2, Option: 1}},
		History: model.History{
			Operations: []model.Operation{
				{ID: 1, Client: "c1", Kind: model.Acquire, Acquisition: 1, Call: at(1), Return: at(2), Result: model.OK},
				{ID: 2, Client: "c2", Kind: model.Acquire, Acquisition: 2, Call: at(3), Return: at(5), Result: model.OK},
				{ID: 3, Client: "c1", Kind: model.Release, Acquisition: 1, Call: at(7), Return: at(8), Result: model.OK},
			},
			Observations: []model.Observation{
				{Stamp: at(4), Node: "c1", Kind: model.Paused, For: 2 * time.Second},
				{Stamp: at(6), Node: "c1", Kind: model.Resumed},
			},
			LockName: "lock", End: at(8),
		},
		Verdicts: []model.Verdict{{
			Property: "mutual-exclusion", Status: model.Violated, Operations: []int{1, 2}, From: at(5), To: at(7),
			Sentence: "c1 and c2 both held the lock for 2s.",
		}},
	}
	for seq := int64(1); seq <= 8; seq++ {
		s := at(seq)
		t.Events = append(t.Events, sim.Event{Seq: s.Seq, At: s.At, Kind: sim.EventMark, Actor: "c1"})
	}
	return t
}

func ExampleExplain() {
	if err := render.Explain(os.Stdout, small(), render.Style{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// mutual-exclusion is violated: mylock under gc-pause
	//   The rule: No two clients believe at the same time that they hold the lock.
	//
	//   c1 and c2 both held the lock for 2s.
	//
	// What happened
	//   1.0000s  c1  asks for the lock
	//   2.0000s  c1  acquires the lock
	//   3.0000s  c2  asks for the lock
	//   4.0000s  c1  is paused for 2s while it holds the lock
	// ✗ 5.0000s  c2  acquires the lock, while c1 still believes that it holds it
	//   6.0000s  c1  goes on, still believing that it holds the lock
	//   7.0000s  c1  calls Release
	//   8.0000s  c1  releases the lock
	//
	// What was judged
	// ✗ mutual-exclusion  violated
	//
	// found by    schedule 17 of seed 42
	// recorded    lockpick v0.1.0, go 1.26.8, go-redis v9.7.0
}

func ExampleSteps() {
	for _, s := range story.Steps(small()) {
		if s.Violating {
			fmt.Println(s.At, s.Actor, s.Text)
		}
	}
	// Output: 5s c2 acquires the lock, while c1 still believes that it holds it
}
