package envelope

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Search searches points. Its results depend on the exported fields up to Seed alone.
type Search struct {
	// Locks has the lock, and others. Lock and Scenario are ids.
	Locks          []cell.Lock
	Lock, Scenario string
	// Parameters are those of the scenario beside the axes.
	Parameters []traces.Parameter
	// Drifts is set if clocks may be wrong in some points.
	Drifts bool
	// Properties are the ids of the properties whose violations are findings.
	Properties []string
	// Runs is the number of schedules of a point, and Seed that of its search.
	Runs int
	Seed uint64

	Worker explore.Worker
	// Jobs is the number of worker processes.
	Jobs int
	// OnPoint, if not nil, is called after each searched point.
	OnPoint func(*Result)

	known map[Point]*Result
	// run replaces the hunt of a point in tests.
	run func(Point) *Result
}

// Result is the result of a point.
type Result struct {
	Point Point
	// Violation is what was found, its zero value if nothing was; Schedule is the first one that shows it.
	Violation model.Violation
	Schedule  int
	// Vacuous is set if nothing was found, and no fault struck a holder.
	Vacuous bool
	// Undecided is the number of schedules in which some property could not be decided.
	Undecided int
	// Trace is the counterexample, nil without one.
	Trace *traces.Trace
}

// Found reports whether the property was violated.
func (r *Result) Found() bool { return r.Violation != model.Violation{} }

// Cell returns the cell of a point. An error is one of the parameters.
func (s *Search) Cell(p Point) (cell.Cell, error) {
	c, err := registry(s.Locks).Cell(prefix+s.Scenario, s.Lock, append([]traces.Parameter{{Name: "sizes", Value: "0"}}, s.Parameters...))
	if err != nil {
		return c, err
	}
	set := []traces.Parameter{
		{Name: "ttl", Value: ttlOf(p[Hold]).String()}, {Name: "lease", Value: time.Duration(p[Lease]).String()}, {Name: "rtt", Value: time.Duration(p[Trip]).String()},
	}
	if c.Params.Faults.Of(faults.Pauses) > 0 {
		set = append(set, traces.Parameter{Name: "pause", Value: time.Duration(p[Pause]).String()})
	}
	switch {
	case p[Drift] > 0:
		set = append(set, traces.Parameter{Name: "skews", Value: "1"}, traces.Parameter{Name: "drift", Value: strconv.FormatInt(p[Drift], 10)})
	case s.Drifts:
		set = append(set, traces.Parameter{Name: "skews", Value: "0"})
	}
	for _, one := range set {
		if err := c.Set(one.Name, one.Value); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Axes returns those that the search has: a scenario without pauses has no longest pause.
func (s *Search) Axes() ([]Axis, error) {
	c, err := registry(s.Locks).Cell(prefix+s.Scenario, s.Lock, s.Parameters)
	list := []Axis{Lease}
	if c.Params.Faults.Of(faults.Pauses) > 0 {
		list = append(list, Pause)
	}
	list = append(list, Trip)
	if s.Drifts {
		list = append(list, Drift)
	}
	return append(list, Hold), err
}

// At searches a point, or returns what was found before. An error is one of a worker, of the context, or the trouble of a run that did not
// finish.
func (s *Search) At(ctx context.Context, p Point) (*Result, error) {
	if r := s.known[p]; r != nil {
		return r, nil
	}
	r, err := s.hunt(ctx, p)
	if err != nil {
		return nil, err
	}
	if s.known == nil {
		s.known = map[Point]*Result{}
	}
	s.known[p] = r
	if s.OnPoint != nil {
		s.OnPoint(r)
	}
	return r, nil
}

// hunt searches a point.
func (s *Search) hunt(ctx context.Context, p Point) (*Result, error) {
	if s.run != nil {
		return s.run(p), nil
	}
	c, err := s.Cell(p)
	if err != nil {
		return nil, err
	}
	h := &hunt.Hunt{
		Search:   hunt.Search{Strategy: explore.PortfolioStrategy, Seed: s.Seed, Schedules: s.Runs},
		Cell:     c,
		Reducer:  hunt.Reducer{Worker: s.Worker, Jobs: s.Jobs, Known: registry(s.Locks)},
		NoShrink: true,
		Enough:   func(sum *explore.Summary) bool { return s.violation(&sum.Tally) != model.Violation{} },
	}
	got, err := h.Run(ctx)
	switch {
	case err != nil:
		return nil, err
	case got.Interrupted:
		return nil, context.Cause(ctx)
	case len(got.Troubles) > 0:
		t := got.Troubles[0]
		t.Reason = fmt.Sprintf("schedule %d of %s does not finish: %s", t.Schedule, s.where(p), t.Reason)
		return nil, &t
	}
	r := &Result{Point: p, Violation: s.violation(got.Tally), Undecided: got.Undecided}
	for _, f := range got.Findings {
		if f.Trace.Violation() == r.Violation {
			f.Trace.Scenario = s.Scenario
			r.Trace, r.Schedule = f.Trace, f.Trace.Schedule
		}
	}
	if r.Found() && r.Trace == nil {
		return nil, errors.New("the counterexample at " + s.where(p) + " was not confirmed")
	}
	r.Vacuous = !r.Found() && slices.ContainsFunc(needed(c), func(i int) bool { return got.Happened[i] == 0 })
	return r, nil
}

// violation returns the first violation of the properties in a tally, a fault before a limit; the zero value if there is none.
func (s *Search) violation(t *explore.Tally) model.Violation {
	for _, id := range s.Properties {
		for _, limit := range []bool{false, true} {
			if v := (model.Violation{Property: id, Limit: limit}); t.Violations[v] > 0 {
				return v
			}
		}
	}
	return model.Violation{}
}

// named names the properties.
func (s *Search) named() string { return wording.Or(s.Properties) }

// where names a point.
func (s *Search) where(p Point) string {
	list, _ := s.Axes() // the cell has been made before
	text := ""
	for _, a := range list {
		text += " " + a.String() + "=" + a.Text(p[a])
	}
	return text[1:]
}

// Facts are what calm runs show of a lock.
type Facts struct {
	// Leased is set if a calm run depends on the lease.
	Leased bool
	// Fenced is set if accesses carry tokens.
	Fenced bool
	// Rule is the lock's formula, nil if it has none: neither its leases nor its records have an end, or a fence makes it needless.
	Rule *Rule
	// Judged are the ids of the properties that are judged, and apply.
	Judged []string
	// Unusable is why the lock cannot be searched, empty if it can.
	Unusable string
}

// Look makes calm runs of the lock, with the lease of the point or, if that is shorter, one that is longer than the work.
func (s *Search) Look(ctx context.Context, p Point) (f Facts, err error) {
	p[Lease] = Lease.rounded(max(p[Lease], int64(ttlOf(p[Hold]))))
	c, err := s.Cell(p)
	if err != nil {
		return f, err
	}
	f.Judged = c.Judged()
	if f.Unusable, _, err = hunt.Preflight(ctx, s.Worker, c); err != nil || f.Unusable != "" {
		return f, err
	}
	var hashes [2]uint64
	var samples []sample
	for i := range hashes {
		lease := p[Lease] * int64(2+i) / 2
		c, err := s.Cell(p.With(Lease, lease))
		if err != nil {
			return f, err
		}
		r, err := s.Worker.Replay(ctx, c.Encode(), nil)
		if err != nil {
			return f, err
		}
		if hashes[i] = r.Hash; r.Recording == nil {
			continue
		}
		f.Fenced = f.Fenced || slices.ContainsFunc(r.Recording.History.Observations, func(o model.Observation) bool { return o.Fenced })
		if one, known := sampleOf(&r.Recording.History, lease); known {
			samples = append(samples, one)
		}
	}
	if !f.Fenced {
		f.Judged = slices.DeleteFunc(f.Judged, func(id string) bool { return id == checker.Fencing })
	}
	f.Leased = hashes[0] != hashes[1]
	if len(samples) == 2 && f.Leased && !f.Fenced {
		f.Rule = ruleOf(samples[0], samples[1])
	}
	return f, nil
}

// FileName returns the name for the trace of a result, without its ending: it has the axes that are not as usual.
func (s *Search) FileName(r *Result) string {
	name := "envelope_" + s.Scenario + "_" + s.Lock
	list, _ := s.Axes() // the cell has been made before
	for _, a := range list {
		if r.Point[a] != Usual[a] {
			name += "_" + a.String() + "-" + strings.TrimSuffix(a.Text(r.Point[a]), "%")
		}
	}
	name += "_" + r.Violation.Property
	if r.Violation.Limit {
		name += "_limit"
	}
	return name
}
