package playground_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/playground"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// known has the locks of these tests.
var known = scenarios.Registry(cells.Locks())

// session is one with what it tells, but for its progress.
func session(w explore.Worker) (*playground.Session, *[]any) {
	told := &[]any{}
	return &playground.Session{Known: known, Worker: w, Send: func(m any) {
		switch m.(type) {
		case playground.Progress, playground.Shrinking: // how many there are depends on time elsewhere
		default:
			*told = append(*told, m)
		}
	}}, told
}

func inProcess() explore.Worker {
	return explore.Worker{Here: &explore.Here{Resolve: known.Resolve, Watched: true}}
}

// TestSessionHere: whatever is told of a search in one process, as in a browser, is told of it in worker processes: findings,
// hashes, shrunk counterexamples, stories and pages.
func TestSessionHere(t *testing.T) {
	for _, q := range []playground.Search{
		{Scenario: "gc-pause", Lock: "setpx", Seed: 7, Schedules: 60},
		{Scenario: "node-restart", Lock: "redlock", Seed: 3, Schedules: 30, Parameters: []traces.Parameter{{Name: "lease", Value: "4s"}}},
		{Scenario: "contention", Lock: "pull", Seed: 1, Schedules: 30},
		{Scenario: "deadlock", Lock: "setpx", Seed: 1, Schedules: 30},
	} {
		both := [][]any{}
		for _, w := range []explore.Worker{inProcess(), cells.Worker(t, 2)} {
			s, told := session(w)
			s.Search(t.Context(), q)
			s.Shrink(t.Context(), 0)
			both = append(both, *told)
		}
		if !reflect.DeepEqual(both[0], both[1]) {
			t.Errorf("%s, %s: in one process\n%+v\nin processes\n%+v", q.Scenario, q.Lock, both[0], both[1])
		}
	}
}

// TestSessionTells: a search tells its findings, then its end, and a finding is shown and shrunk.
func TestSessionTells(t *testing.T) {
	s, told := session(inProcess())
	q := playground.Search{Scenario: "gc-pause", Lock: "setpx", Seed: 7, Schedules: 60, Parameters: []traces.Parameter{{Name: "clients", Value: "3"}}}
	s.Search(t.Context(), q)
	found, is := (*told)[0].(playground.Found)
	end, ended := (*told)[len(*told)-1].(playground.End)
	if !is || !ended || found.Number != 0 || !found.Limit || found.Sentence == "" || len(found.Hash) != 16 || end.Word != explore.Violation || end.Schedules != 60 ||
		end.Command != "simrun run gc-pause --lock setpx --seed 7 --runs 60 -p clients=3" || len(end.Hash) != 16 || end.Interrupted {
		t.Fatalf("told %+v", *told)
	}
	i := slices.IndexFunc(end.Verdicts, func(v playground.Verdict) bool { return v.Property == found.Property })
	if i < 0 || end.Verdicts[i].Limits == 0 || end.Verdicts[i].Faults != 0 {
		t.Errorf("verdicts %+v", end.Verdicts)
	}
	s.Shrink(t.Context(), 0)
	small, is := (*told)[len(*told)-1].(playground.Shown)
	if !is || !small.Shrunk || small.Command != end.Command {
		t.Fatalf("shown %+v", (*told)[len(*told)-1])
	}
	trace, err := traces.Decode(strings.NewReader(small.Trace))
	if err != nil || trace.Hash != small.Found.Hash || trace.Shrunk == nil || trace.Shrunk.To >= trace.Shrunk.From {
		t.Errorf("the trace: %v, %+v", err, trace)
	}
}

// TestSessionRefuses: what cannot be searched is said, and so is a finding that there is not.
func TestSessionRefuses(t *testing.T) {
	for _, test := range []struct {
		q    playground.Search
		want string
	}{
		{playground.Search{Scenario: "gc-paus", Lock: "setpx", Schedules: 1}, "gc-pause"},
		{playground.Search{Scenario: "gc-pause", Lock: "none", Schedules: 1}, "none"},
		{playground.Search{Scenario: "gc-pause", Lock: "setpx"}, "0 schedules: want 1 to 100000"},
		{playground.Search{Scenario: "gc-pause", Lock: "setpx", Schedules: 1, Parameters: []traces.Parameter{{Name: "lease", Value: "1h"}}}, "lease"},
		{playground.Search{Scenario: "deadlock", Lock: "setpx", Schedules: 1}, "does not apply to setpx"},
	} {
		s, told := session(inProcess())
		s.Search(t.Context(), test.q)
		if failed, is := (*told)[0].(playground.Failed); len(*told) != 1 || !is || !strings.Contains(failed.Reason, test.want) {
			t.Errorf("told %+v, want %q", *told, test.want)
		}
	}
	s, told := session(inProcess())
	s.Show(0)
	if failed, is := (*told)[0].(playground.Failed); !is || failed.Reason != "there is no finding 0 of 0" {
		t.Errorf("told %+v", *told)
	}
}

// TestSessionStops: a search whose context ends says that it was interrupted.
func TestSessionStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	s, told := session(inProcess())
	tell := s.Send
	s.Send = func(m any) {
		if p, is := m.(playground.Progress); is && p.Schedules == 5 {
			stop()
		}
		tell(m)
	}
	s.Search(ctx, playground.Search{Scenario: "contention", Lock: "setpx", Seed: 1, Schedules: playground.MaxSchedules})
	end, is := (*told)[len(*told)-1].(playground.End)
	if !is || !end.Interrupted || end.Schedules < 5 || end.Schedules > 300 {
		t.Errorf("told %+v", *told)
	}
}

// TestCompare: equal hashes are counted as equal, and others as different.
func TestCompare(t *testing.T) {
	s, told := session(inProcess())
	q := playground.Search{Scenario: "gc-pause", Lock: "setpx", Seed: 7, Schedules: 5}
	c := &playground.Catalogue{Locks: []playground.Lock{{ID: "setpx"}}}
	if err := c.AddKnown(t.Context(), s, []playground.Search{q}); err != nil {
		t.Fatal(err)
	}
	wrong := playground.Known{Search: q, Hashes: slices.Clone(c.Known[0].Hashes)}
	wrong.Hashes[1], wrong.Hashes[3] = "0", "1"
	s.Compare(t.Context(), []playground.Known{c.Known[0], wrong})
	want := []any{
		playground.Compared{Type: "compared", Scenario: "gc-pause", Lock: "setpx", Runs: 5},
		playground.Compared{Type: "compared", Scenario: "gc-pause", Lock: "setpx", Runs: 5, Differ: 2, Last: true},
	}
	if !reflect.DeepEqual(*told, want) {
		t.Errorf("told %+v, want %+v", *told, want)
	}
	if err := c.AddKnown(t.Context(), s, []playground.Search{{Scenario: "gc-pause", Lock: "none"}}); err == nil || !strings.Contains(err.Error(), "no such lock") {
		t.Errorf("a lock that is not there: %v", err)
	}
}

// TestCatalogue: each cell that is listed can be searched with the parameters that it says must be set, and has those that it lists.
func TestCatalogue(t *testing.T) {
	c := playground.NewCatalogue(known)
	set := 0
	for _, s := range c.Scenarios {
		for lock, p := range s.Cells { // unordered: each by itself
			got, err := known.Cell(s.ID, lock, list(p.Set))
			if err != nil || got.Lacks() != "" || !slices.Equal(got.Parameters(), list(p.Values)) {
				t.Errorf("%s, %s: %v, %q, %v, listed %q", s.ID, lock, err, got.Lacks(), got.Parameters(), p.Values)
			}
			if p.Set != "" {
				set++
			}
		}
	}
	if _, applies := c.Scenarios[0].Cells["setpx"]; len(c.Scenarios) < 15 || !applies || set == 0 {
		t.Errorf("%d scenarios, %d cells with parameters to set", len(c.Scenarios), set)
	}
	if _, err := json.Marshal(c); err != nil {
		t.Error(err)
	}
}

// list are parameters from a text of the catalogue.
func list(text string) (all []traces.Parameter) {
	for word := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(word, "=")
		all = append(all, traces.Parameter{Name: name, Value: value})
	}
	return all
}
