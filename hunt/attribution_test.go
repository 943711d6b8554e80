package hunt_test

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// searched is how many schedules are searched for a violation.
const searched = 5000

// smallest searches a cell and shrinks what it finds.
func smallest(t *testing.T, c cell.Cell, property string) (cell.Cell, *explore.Shrunk) {
	t.Helper()
	var tape []sim.Choice
	var limit bool
	err := cells.Worker(t, 1).Do(t.Context(), explore.Request{Cell: c.Encode(), Seed: 1, Count: searched}, func(r explore.Result) bool {
		if tape == nil && r.Violates(property) {
			tape, limit = r.Tape, !slices.Contains(r.Violated, model.Violation{Property: property})
		}
		return tape == nil
	})
	if err != nil || tape == nil {
		t.Fatalf("%s was not found: %v", property, err)
	}
	s, err := explore.Shrink{Worker: cells.Worker(t, 1), Cell: c.Encode(), Property: property, Limit: limit, Smaller: c.Smaller}.Run(t.Context(), tape)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = scenarios.Registry(cells.Locks()).Decode(s.Cell); err != nil {
		t.Fatal(err)
	}
	return c, s
}

func attribute(t *testing.T, c cell.Cell, property string, tape []sim.Choice, out explore.Outcome, budget int) *traces.Attribution {
	t.Helper()
	ran := 0
	a, err := hunt.Attribute(t.Context(), c, hunt.AttributeOptions{
		Worker: cells.Worker(t, 1), Locks: cells.Locks(), Property: property, Tape: tape, Outcome: out,
		Seed: 1, Jobs: 1, Budget: budget, OnProgress: func(int, int) { ran++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	if ran < len(a.Deviations) {
		t.Errorf("told of the progress of %d runs", ran)
	}
	return a
}

const (
	fenced = "setpx-fenced (fences its writes)"
	waits  = "setpx-wait (waits for one replica by WAIT)"
	atomic = "setpx (releases by one script)"
	longer = "a lease four times as long"
)

// TestAttribution finds, shrinks and attributes what is known to be wrong: for
// each, what it needs and which remedies help, by their ways.
func TestAttribution(t *testing.T) {
	const at = `\d+\.\d{3,6}s`
	for _, test := range []struct {
		scenario, lock, property string
		needs                    []string
		gone, vain               []string
	}{
		{
			"failover-loss", "setpx", checker.MutualExclusion,
			[]string{
				`the segment from redis1 to redis2 sent at ` + at + ` \(replicate lock\) is slow by .*`,
				`redis1 crashes at ` + at + `, before its last write has reached redis2`,
			},
			[]string{waits}, []string{fenced, longer},
		},
		{
			"failover-loss", "setpx-fenced", checker.Fencing,
			[]string{
				`the segment from redis1 to redis2 sent at ` + at + ` \(replicate lock \{lock\}:fence\) is slow by .*`,
				`redis1 crashes at ` + at + `, before its last write has reached redis2`,
			},
			nil, []string{longer}, // setpx-wait has no tokens: it does not apply
		},
		{
			"gc-pause", "setpx", checker.NoLostUpdate,
			[]string{`c\d pauses for \d\.?\d*s at ` + at},
			[]string{fenced, longer}, []string{waits},
		},
		{
			"gc-pause", "setpx-fenced", checker.MutualExclusion,
			[]string{`c\d pauses for \d\.?\d*s at ` + at},
			[]string{longer}, []string{waits},
		},
		{
			"two-step-release", "setpx-twostep", checker.OwnerOnlyRelease,
			[]string{`the segment from \w+ to \w+ sent at ` + at + ` .* is late by .*`},
			[]string{atomic, longer}, nil,
		},
	} {
		if !cells.Sampled(test.scenario+"/"+test.lock, 3) {
			continue
		}
		t.Run(test.scenario+"/"+test.lock, func(t *testing.T) {
			t.Parallel()
			c, s := smallest(t, cells.Of(t, test.scenario, test.lock), test.property)
			a := attribute(t, c, test.property, s.Tape, s.Outcome, 500)
			t.Log(story.AttributionSentence(a, nil))
			for _, want := range test.needs {
				if !slices.ContainsFunc(a.Deviations, func(d traces.Deviation) bool {
					return d.Needed && d.Seq > 0 && regexp.MustCompile("^"+want+"$").MatchString(d.Text)
				}) {
					t.Errorf("needs no %q:\n%s", want, story.AttributionSentence(a, nil))
				}
			}
			gone, vain := helped(t, a)
			for _, want := range test.gone {
				if !slices.Contains(gone, want) {
					t.Errorf("not gone with %s", want)
				}
			}
			for _, want := range test.vain {
				if !slices.Contains(vain, want) {
					t.Errorf("gone with %s", want)
				}
			}
			roundTrip(t, c, test.property, s, a)
		})
	}
}

// helped are the remedies with which the violation is gone, and the others.
func helped(t *testing.T, a *traces.Attribution) (gone, vain []string) {
	t.Helper()
	for _, r := range a.Remedies {
		switch {
		case r.Except != "":
		case r.Trouble != "":
			t.Errorf("%s: %s", r.Text, r.Trouble)
		case r.Gone:
			gone = append(gone, r.Text)
			if r.Schedules < 100 || r.Bound < 0 {
				t.Errorf("%s is said to help after %d schedules, bound %d", r.Text, r.Schedules, r.Bound)
			}
		default:
			vain = append(vain, r.Text)
		}
	}
	return gone, vain
}

// roundTrip keeps the counterexample as a trace and reads it again.
func roundTrip(t *testing.T, c cell.Cell, property string, s *explore.Shrunk, a *traces.Attribution) {
	t.Helper()
	trace := c.Trace(1, 0, property, s.Outcome)
	trace.Attribution = a
	trace.Shrunk = &traces.Shrunk{Parameters: c.Parameters(), From: s.Before, To: s.Deviations, Runs: s.Runs}
	var file bytes.Buffer
	if err := traces.Encode(&file, trace); err != nil {
		t.Fatal(err)
	}
	again, err := traces.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	if story.AttributionSentence(again.Attribution, nil) != story.AttributionSentence(a, nil) {
		t.Error("the attribution is another one after it was read again")
	}
}

// A deviation that makes no difference is told as one.
func TestAttributionOfASuperfluousDeviation(t *testing.T) {
	const property = checker.NoLostUpdate
	c, s := smallest(t, cells.Of(t, "gc-pause", "setpx"), property)
	for i := len(s.Tape) - 1; i >= 0; i-- {
		if s.Tape[i].Kind != sim.Latency || s.Tape[i].Option != 0 {
			continue
		}
		tape := slices.Clone(s.Tape)
		tape[i].Option = 3
		out := c.Run(explore.Run{Tape: explore.NewLenient(tape), Record: true})
		if !model.Violates(out.Violated(), property) {
			continue
		}
		c.Scenario = &cell.Scenario{ID: c.Scenario.ID} // which has no remedies
		a := attribute(t, c, property, tape, out, 1)
		if len(a.Deviations) != 2 || len(a.Remedies) != 0 {
			t.Fatalf("got %+v", a)
		}
		if d := a.Deviations[0]; !d.Needed || !strings.Contains(d.Text, "pauses for ") {
			t.Errorf("first %+v", d)
		}
		if d := a.Deviations[1]; d.Needed || !strings.Contains(d.Text, "is slow by 96.8µs") || d.Decision != tape[i].ID() || d.Option != 3 {
			t.Errorf("second %+v", d)
		}
		if sentence := story.AttributionSentence(a, nil); !strings.Contains(sentence, " Not needed: the segment from ") {
			t.Error(sentence)
		}
		return
	}
	t.Fatal("every slow segment matters")
}

// A remedy whose search comes to no proper end is neither good nor bad.
func TestAttributionOfARemedyInTrouble(t *testing.T) {
	c := cells.Of(t, "gc-pause", "setpx")
	c.Scenario = &cell.Scenario{ID: c.Scenario.ID, Params: c.Scenario.Params, Remedies: []cell.Remedy{
		{Cure: "panics"}, {Cure: "is unheard of"}, {Cure: cell.Atomic}, // the last is the same lock
	}}
	a := attribute(t, c, checker.OwnerOnlyRelease, nil, c.Run(explore.Run{Tape: sim.Calm{}, Record: true}), 20)
	if len(a.Remedies) != 1 {
		t.Fatalf("got %+v", a.Remedies)
	}
	if r := a.Remedies[0]; r.Gone || r.Trouble == "" || !strings.Contains(story.AttributionSentence(a, nil), "Unknown for test-panics (a lock that panics): ") {
		t.Errorf("got %+v: %s", r, story.AttributionSentence(a, nil))
	}
}

// What was interrupted has found nothing.
func TestAttributionInterrupted(t *testing.T) {
	c := cells.Of(t, "gc-pause", "setpx")
	for _, after := range []int{0, 1, 20} {
		ctx, cancel := context.WithCancel(t.Context())
		stop := func() {
			if after--; after < 0 {
				cancel()
			}
		}
		stop()
		a, err := hunt.Attribute(ctx, c, hunt.AttributeOptions{Worker: cells.Worker(t, 1), Locks: cells.Locks(), Property: checker.OwnerOnlyRelease, OnProgress: func(int, int) { stop() }})
		if a != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("got %+v, %v", a, err)
		}
		cancel()
	}
}

// Seeds are no deviations, and the calm run has none.
func TestAttributionOfWhatIsNoDeviation(t *testing.T) {
	c := cells.Of(t, "contention", "setpx")
	tape := []sim.Choice{{Kind: sim.Seed, Actor: "c1", Options: 1 << 20, Option: 7}}
	out := c.Run(explore.Run{Tape: explore.NewLenient(tape), Record: true})
	a := attribute(t, c, checker.MutualExclusion, tape, out, 1)
	if len(a.Deviations) != 0 || a.Deviations == nil || a.Remedies == nil {
		t.Errorf("got %+v", a)
	}
}
