package redis_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// replaced is what random schedules of a cell show.
type replaced struct {
	promoted int            // schedules in which a node was elected
	causes   map[string]int // of mutual-exclusion
}

// search runs random schedules of a cell. No violation may be a fault of the lock.
func search(t *testing.T, c cell.Cell, runs int) replaced {
	t.Helper()
	r := replaced{causes: map[string]int{}}
	for n := range runs {
		out := c.Run(explore.Run{Tape: explore.Random(1, n), Record: true})
		if out.Failure != nil {
			t.Fatalf("schedule %d: %s\n%s", n, out.Failure.Reason, out.Failure.Stack)
		}
		for _, o := range out.Recording.History.Observations {
			if o.Kind == model.Promoted && o.Epoch > 0 {
				r.promoted++
				break
			}
		}
		for _, v := range out.Verdicts {
			switch {
			case v.Status != model.Violated || checker.Weak(v.Property):
			case !v.Limit:
				t.Errorf("schedule %d: %s: %s", n, v.Property, v.Sentence)
			case v.Property == checker.MutualExclusion:
				r.causes[v.Cause]++
			}
		}
	}
	return r
}

// TestTwoMasters: a primary that is cut off from sentinels and replicas, but not from all clients, grants what nobody
// knows of. Primaries that refuse writes without a replica are no remedy alone, since others are promoted before; they
// are one with sentinels that wait until the last lease has ended.
func TestTwoMasters(t *testing.T) {
	slowtest.SkipIfShort(t)
	set := func(pairs ...string) (list []traces.Parameter) {
		for _, p := range pairs {
			name, value, _ := strings.Cut(p, "=")
			list = append(list, traces.Parameter{Name: name, Value: value})
		}
		return list
	}
	for _, test := range []struct {
		name   string
		params []traces.Parameter
		found  bool
	}{
		{"as usual", nil, true},
		{"min-replicas", set("min-replicas=1"), true},
		{"min-replicas and a long down-after", set("min-replicas=1", "down-after=12"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := search(t, deployed(t, "two-masters", "sentinel", test.params...), 300)
			if found := len(r.causes) > 0; found != test.found || r.promoted < 30 {
				t.Errorf("in %d schedules a node was elected; two holders: %v", r.promoted, r.causes)
			}
			if test.found && r.causes[model.TwoMasters] == 0 {
				t.Errorf("two holders: %v, want some of two masters", r.causes)
			}
			t.Logf("in %d of 300 schedules a node was elected; two holders: %v", r.promoted, r.causes)
		})
	}
}

// TestSwitchover: a sound lock has limits alone, also where nothing fails but that an operator orders a failover.
func TestSwitchover(t *testing.T) {
	slowtest.SkipIfShort(t)
	ordered := []traces.Parameter{{Name: "lagging-promotions", Value: "0"}, {Name: "epoch-ties", Value: "0"}, {Name: "switch-delays", Value: "0"}}
	for name, params := range map[string][]traces.Parameter{"all": nil, "ordered": ordered} { // unordered: each is a test of its own
		r := search(t, deployed(t, "switchover", "sentinel", params...), 600)
		t.Logf("%s: in %d of 600 schedules a node was elected; two holders: %v", name, r.promoted, r.causes)
		if r.promoted < 50 || r.causes[model.TwoMasters] == 0 {
			t.Errorf("%s: in %d schedules a node was elected; two holders: %v", name, r.promoted, r.causes)
		}
	}
}

// TestElectionTie: after a tie that is struck all sentinels stand in the same instant, and by themselves they do not. Then
// nobody leads for as long as a step of a failover may take.
func TestElectionTie(t *testing.T) {
	slowtest.SkipIfShort(t)
	c := deployed(t, "switchover", "sentinel", traces.Parameter{Name: "manual-failovers", Value: "0"}, traces.Parameter{Name: "switch-delays", Value: "0"})
	ties := map[int]int{} // by how many stand
	for n := range 400 {
		out := c.Run(explore.Run{Tape: explore.Random(1, n), Record: true})
		tied, stand, since := false, 0, time.Duration(0)
		for _, e := range out.Recording.Events {
			switch {
			case e.Kind == sim.EventFault && e.Detail == "tie":
				tied = true
			case strings.HasPrefix(e.Detail, "+try-failover"):
				if e.At != since {
					stand, since = 0, e.At
				}
				stand++
			case strings.HasPrefix(e.Detail, "+elected-leader") && stand == 3 && e.At < since+5*time.Second:
				t.Errorf("schedule %d: %s leads at %v, though all have stood at %v", n, e.Actor, e.At, since)
			}
		}
		if stand == 3 && !tied {
			t.Errorf("schedule %d: all stand at %v, and no tie was struck", n, since)
		}
		if tied {
			ties[stand]++
		}
	}
	if ties[3] < 10 {
		t.Errorf("so many sentinels stood after ties: %v", ties)
	}
	t.Logf("so many sentinels stood after ties: %v", ties)
}

// TestDeployedDeviations: what each decision about such a fault does is told.
func TestDeployedDeviations(t *testing.T) {
	want := map[sim.Kind]string{
		"fault:two-masters":             `^redis1 is cut off from redis2, .*sentinel3 at \d`,
		"fault:two-masters-lasts":       `^the cut lasts for (6|12)s$`,
		"fault:manual-failover":         `^sentinel\d is ordered to replace the serving node at \d`,
		"fault:epoch-tie":               `^from \S+ on, all that stand for the next election do so at the same moment$`,
		"fault:lagging-promotion":       `^redis\d, the preferred successor of redis\d, learns nothing of it any more from \S+ on$`,
		"fault:lagging-promotion-lasts": `^redis\d crashes (1\.8|4)s later$`,
		"fault:switch-delay":            `(is late by|late by) (2|5)s$`,
		"fault:migration":               `^part \d+ of the keys begins to move from redis\d to redis\d at \d`,
		"fault:migration-step":          `^the migration (moves a key at|is finished at|is given up at) \d`,
		"fault:replica-lag":             `^redis\d acts later than it might: after \d of 4 parts of the longest delay of its timer$`,
	}
	seen := map[sim.Kind]bool{}
	all := []cell.Cell{
		deployed(t, "two-masters", "sentinel", traces.Parameter{Name: "min-replicas", Value: "1"}),
		deployed(t, "switchover", "sentinel", traces.Parameter{Name: "min-replicas", Value: "1"}),
		deployed(t, "migration", "cluster"),
	}
	for n := 0; n < 200 && len(seen) < len(want); n++ {
		for _, c := range all {
			out := c.Run(explore.Run{Tape: explore.Random(1, n), Record: true})
			for _, choice := range out.Recording.Choices {
				text, at := want[choice.Kind]
				if !at || choice.Option == 0 || seen[choice.Kind] {
					continue
				}
				seen[choice.Kind] = true
				if got, _ := c.DeviationText(out.Recording, choice); !regexp.MustCompile(text).MatchString(got) {
					t.Errorf("%s: %q, want %q", choice.Kind, got, text)
				}
			}
		}
	}
	for kind := range want { // unordered: all are told
		if !seen[kind] {
			t.Errorf("no schedule decides about %s", kind)
		}
	}
}
