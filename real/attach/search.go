package attach

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// Search searches a target.
type Search struct {
	*Target
	// Scenarios are those to search. Runs is the number of runs, without those that shrink and confirm, and Seed draws the plans.
	Scenarios []Scenario
	Runs      int
	Seed      uint64
	// Properties are those whose violations are reported; nil for all.
	Properties []string
	// Jobs is the number of runs at a time.
	Jobs int
	// Report, if not nil, is called for what happens, by one goroutine at a time.
	Report func(Progress)

	idle   idle  // servers between runs
	broken error // of the last try that a client has ended
}

// Progress is what a search reports while it runs: one of the fields.
type Progress struct {
	Done, Total int
	Found       *Found
	Unsteady    *Found
	Broken      *Broken
}

// Broken is a run that a client has ended by breaking the protocol.
type Broken struct {
	Candidate
	Err *ClientError
}

// Candidate is a plan to try.
type Candidate struct {
	Scenario string
	Workload Workload
	Plan     Plan
	Seed     uint64
}

// Found is a violation that a search has found.
type Found struct {
	Candidate
	Shown
	// Also are further violations that as many of the same tries show.
	Also []Shown
	// Sentence is that of the verdict. Times is in how many of Of tries of the plan it happened, and From the number of faults
	// before shrinking.
	Sentence  string
	Times, Of int
	From      int
	// Run is the number of the run that found it, from 1.
	Run int
	// Trace is a run that shows it.
	Trace *traces.Trace
	plans int // after the first that were unsteady as well
}

// Summary is the result of a search.
type Summary struct {
	Lock, Server string
	Runs         int
	// Found are faults, and Limits the limits of leases that some run has shown.
	Found, Limits []*Found
	Unsteady      []*Found
	Broken        []*Broken
	// Vacuous counts the runs in which no fault of the plan has struck.
	Vacuous int
}

const (
	// Tries is how often a plan runs before its violation is a finding.
	Tries = 20
	// Need is in how many of them the violation must happen.
	Need = 19
	// batches is how many runs for each job are made before their results are looked at.
	batches = 3
	// quick is how often a smaller plan runs: it is kept if the violation happens each time.
	quick = 3
	// mostPlans is how many plans are tried for a violation that no plan shows steadily.
	mostPlans = 4
)

// Run searches. The error is why it has ended early.
func (s *Search) Run(ctx context.Context) (*Summary, error) {
	defer s.idle.stop()
	sum := &Summary{}
	profiles, err := s.calm(ctx, sum)
	if err != nil {
		return sum, err
	}
	candidates := s.candidates(profiles)
	if len(candidates) == 0 {
		return sum, errors.New("there is nothing to search: in a run without faults the clients have sent no request")
	}
	next := 0
	for next < s.Runs {
		end := min(next+batches*max(s.Jobs, 1), s.Runs)
		batch := make([]Candidate, 0, end-next)
		for i := next; i < end; i++ {
			batch = append(batch, candidates[i])
		}
		results := s.tryAll(ctx, batch)
		for i, t := range results {
			if err := s.take(ctx, sum, next+i+1, batch[i], t); err != nil {
				return sum, err
			}
		}
		next = end
		sum.Runs = next
		s.report(Progress{Done: next, Total: s.Runs})
	}
	return sum, nil
}

func (s *Search) report(p Progress) {
	if s.Report != nil {
		s.Report(p)
	}
}

// tried is a judged run, or why there is none.
type tried struct {
	ran      *Ran
	verdicts []model.Verdict
	err      error
}

// attempts is how often a run begins that ends for reasons of the machine, such as a server that does not start in time.
const attempts = 3

// try makes a run of a candidate.
func (s *Search) try(ctx context.Context, c Candidate) (t tried) {
	for range attempts {
		ran, err := s.run(ctx, &s.idle, c.Workload, c.Plan)
		if err == nil {
			return tried{ran, s.Judge(ran), nil}
		}
		t.err = interrupted(ctx, err)
		var missing *realserver.MissingError
		var cannot *CommandError
		if isClient(err) || ctx.Err() != nil || errors.As(err, &missing) || errors.As(err, &cannot) {
			break
		}
	}
	return t
}

// interrupted returns the error of the context, if it has ended, in place of one that may follow from it: what interrupts
// this process may interrupt its servers a moment before.
func interrupted(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(200 * time.Millisecond):
		return err
	}
}

// tryAll tries candidates side by side, each with servers of its own.
func (s *Search) tryAll(ctx context.Context, list []Candidate) []tried {
	results := make([]tried, len(list))
	slots := make(chan struct{}, max(s.Jobs, 1))
	var all sync.WaitGroup
	for i := range list {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			results[i] = s.try(ctx, list[i])
		})
	}
	all.Wait()
	return results
}

// has returns the verdict of a violation in a run, nil if the run does not show it.
func (t *tried) has(v Shown) *model.Verdict {
	for i := range t.verdicts {
		if w := &t.verdicts[i]; w.Status == model.Violated && w.Violation() == v.Violation && w.Cause == v.Cause {
			return w
		}
	}
	return nil
}

// take looks at a run of a candidate.
func (s *Search) take(ctx context.Context, sum *Summary, run int, c Candidate, t tried) error {
	var broken *ClientError
	switch {
	case errors.As(t.err, &broken):
		b := &Broken{c, broken}
		known := slices.ContainsFunc(sum.Broken, func(o *Broken) bool { return o.Err.What == broken.What })
		if sum.Broken = append(sum.Broken, b); !known {
			s.report(Progress{Broken: b})
		}
		return nil
	case t.err != nil:
		return t.err
	}
	if t.ran.Struck == 0 && len(c.Plan) > 0 {
		sum.Vacuous++
	}
	return s.settle(ctx, sum, run, c, t)
}

// knows reports whether the violation of a plan has been found: the same one, by faults in phases that the plan strikes as
// well. A lock may lose its record in an acquire and in a release for reasons of their own.
func (sum *Summary) knows(v Shown, p Plan) bool {
	same := func(f *Found) bool {
		return (f.Shown == v || slices.Contains(f.Also, v)) && !slices.ContainsFunc(f.Plan, func(o Fault) bool {
			return !slices.ContainsFunc(p, func(mine Fault) bool { return mine.At.Phase == o.At.Phase })
		})
	}
	return slices.ContainsFunc(slices.Concat(sum.Found, sum.Limits), same) ||
		slices.ContainsFunc(sum.Unsteady, func(f *Found) bool { return same(f) && f.plans >= mostPlans })
}

// settle shrinks the plan of a run that shows faults, and tries it. The plan is shrunk for the first of the faults that are
// new. Those that the smaller plan shows as well are counted in the same tries.
func (s *Search) settle(ctx context.Context, sum *Summary, run int, c Candidate, t tried) error {
	new := slices.DeleteFunc(shown(t.verdicts), func(v Shown) bool {
		return sum.knows(v, c.Plan) || s.Properties != nil && !slices.Contains(s.Properties, v.Property)
	})
	s.limits(sum, run, c, t, new)
	new = slices.DeleteFunc(new, func(v Shown) bool { return v.Limit })
	if len(new) == 0 {
		return nil
	}
	small, err := s.shrink(ctx, c, new[0])
	if err != nil {
		return err
	}
	var all []*Found
	for _, v := range new {
		all = append(all, &Found{Candidate: small, Shown: v, From: len(c.Plan), Run: run, Sentence: t.has(v).Sentence})
	}
	if err := s.confirm(ctx, all, t); err != nil {
		return err
	}
	for i, f := range all {
		first := slices.IndexFunc(all[:i], func(o *Found) bool { return o.Times >= Need })
		switch {
		case f.Times >= Need && first >= 0:
			all[first].Also = append(all[first].Also, f.Shown)
		case f.Times >= Need:
			sum.Found = append(sum.Found, f)
		case i == 0:
			sum.addUnsteady(f)
		}
	}
	for _, f := range all {
		if f.Times >= Need && slices.Contains(sum.Found, f) {
			sum.Unsteady = slices.DeleteFunc(sum.Unsteady, func(u *Found) bool { return sum.knows(u.Shown, u.Plan) })
			s.report(Progress{Found: f})
		}
	}
	if all[0].Times < Need {
		s.report(Progress{Unsteady: all[0]})
	}
	return nil
}

// addUnsteady adds a violation that is not steady.
func (sum *Summary) addUnsteady(f *Found) {
	if i := slices.IndexFunc(sum.Unsteady, func(u *Found) bool { return u.Shown == f.Shown }); i >= 0 {
		sum.Unsteady[i].plans++
		return
	}
	sum.Unsteady = append(sum.Unsteady, f)
}

// limits reports the limits of leases that are new. They are no faults of the lock, so that nothing is shrunk or tried again.
func (s *Search) limits(sum *Summary, run int, c Candidate, t tried, new []Shown) {
	for _, v := range new {
		if !v.Limit {
			continue
		}
		f := &Found{Candidate: c, Shown: v, From: len(c.Plan), Run: run, Times: 1, Of: 1, Sentence: t.has(v).Sentence}
		if i := slices.IndexFunc(sum.Limits, func(o *Found) bool { return o.Run == run && o.Cause == v.Cause }); i >= 0 {
			sum.Limits[i].Also = append(sum.Limits[i].Also, v)
			continue
		}
		f.Trace = s.Trace(f, t.ran, t.verdicts)
		sum.Limits = append(sum.Limits, f)
	}
	for _, f := range sum.Limits {
		if f.Run == run && len(new) > 0 {
			s.report(Progress{Found: f})
		}
	}
}

// confirm tries the plan of some violations until it is known whether it shows each often enough. The trace of each is of
// the first run that shows it.
func (s *Search) confirm(ctx context.Context, all []*Found, first tried) error {
	c, of := all[0].Candidate, 0
	open := func(f *Found) bool { return of-f.Times <= Tries-Need }
	runs := make([]tried, len(all))
	for of < Tries && slices.ContainsFunc(all, open) {
		n := min(max(s.Jobs, 1), Tries-of)
		for _, t := range s.tryAll(ctx, slices.Repeat([]Candidate{c}, n)) {
			if t.err != nil && !isClient(t.err) {
				return t.err
			}
			if t.err != nil {
				s.broken = t.err
			}
			of++
			for i, f := range all {
				if t.has(f.Shown) == nil {
					continue
				}
				if f.Times++; f.Times == 1 {
					runs[i] = t
				}
			}
		}
	}
	for i, f := range all {
		if f.Of = of; f.Times == 0 {
			runs[i] = first
		}
		if v := runs[i].has(f.Shown); v != nil {
			f.Sentence = v.Sentence
			f.Trace = s.Trace(f, runs[i].ran, runs[i].verdicts)
		}
	}
	return nil
}

// shrink drops the faults of a plan, and then replaces its workload by the shortest one, as long as each of some runs shows
// the violation.
func (s *Search) shrink(ctx context.Context, c Candidate, v Shown) (Candidate, error) {
	for i := 0; i < len(c.Plan); {
		less := c
		less.Plan = slices.Delete(slices.Clone(c.Plan), i, i+1)
		holds, err := s.holds(ctx, less, v)
		if err != nil {
			return c, err
		}
		if holds {
			c = less
			continue
		}
		i++
	}
	if c.Workload.ID == Turns.ID {
		return c, nil
	}
	less := c
	less.Workload = Turns
	holds, err := s.holds(ctx, less, v)
	if holds {
		c = less
	}
	return c, err
}

// holds reports whether each of some runs of a smaller plan shows a violation. Most do not, so one is made first.
func (s *Search) holds(ctx context.Context, c Candidate, v Shown) (bool, error) {
	for _, n := range []int{1, quick - 1} {
		for _, t := range s.tryAll(ctx, slices.Repeat([]Candidate{c}, n)) {
			if t.err != nil && !isClient(t.err) {
				return false, t.err
			}
			if t.has(v) == nil {
				return false, nil
			}
		}
	}
	return true, nil
}

// calm makes a run without faults of each workload. It returns the points that each has passed.
func (s *Search) calm(ctx context.Context, sum *Summary) (profiles []profile, err error) {
	for _, w := range Workloads() {
		t := s.try(ctx, Candidate{contention, w, nil, s.Seed})
		if t.err != nil {
			return nil, t.err
		}
		sum.Lock, sum.Server = t.ran.Lock, t.ran.Server
		if w.Extends && !extends(t.ran) {
			continue
		}
		profiles = append(profiles, profile{w, t.ran.Profile})
		if err := s.settle(ctx, sum, 0, Candidate{contention, w, nil, s.Seed}, t); err != nil {
			return nil, err
		}
	}
	return profiles, nil
}

// extends reports whether the lock of a run was extended, or renewed itself.
func extends(r *Ran) bool {
	return slices.ContainsFunc(r.History.Operations, func(op model.Operation) bool { return op.Kind == model.Extend && op.Result == model.OK }) ||
		slices.ContainsFunc(r.Profile, func(s Seen) bool { return s.Phase == Holding && s.Request != "" })
}
