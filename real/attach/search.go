package attach

import (
	"context"
	"errors"
	"slices"
	"sync"

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
	// Jobs is the number of runs at a time.
	Jobs int
	// Report, if not nil, is called for what happens, by one goroutine at a time.
	Report func(Progress)
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
	Found        []*Found
	Unsteady     []*Found
	Broken       []*Broken
	// Vacuous counts the runs in which no fault of the plan has struck.
	Vacuous int
}

const (
	// Tries is how often a plan runs before its violation is a finding, and Need in how many of these it must happen.
	Tries = 20
	Need  = 19
	// quick is how often a smaller plan runs: it is kept if the violation happens each time.
	quick = 3
	// mostPlans is how many plans are tried for a violation that no plan shows steadily.
	mostPlans = 4
)

// Run searches. The error is why it has ended early.
func (s *Search) Run(ctx context.Context) (*Summary, error) {
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
		end := min(next+max(s.Jobs, 1), s.Runs)
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

// try makes a run of a candidate.
func (s *Search) try(ctx context.Context, c Candidate) tried {
	ran, err := s.Target.Run(ctx, c.Workload, c.Plan)
	if err != nil {
		return tried{err: err}
	}
	return tried{ran, s.Judge(ran), nil}
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
		sum.Broken = append(sum.Broken, b)
		s.report(Progress{Broken: b})
		return nil
	case t.err != nil:
		return t.err
	}
	if t.ran.Struck == 0 && len(c.Plan) > 0 {
		sum.Vacuous++
	}
	for _, v := range shown(t.verdicts) {
		if sum.knows(v) {
			continue
		}
		if err := s.settle(ctx, sum, run, c, t, v); err != nil {
			return err
		}
	}
	return nil
}

// knows reports whether a violation has been found.
func (sum *Summary) knows(v Shown) bool {
	return slices.ContainsFunc(sum.Found, func(f *Found) bool { return f.Shown == v }) ||
		slices.ContainsFunc(sum.Unsteady, func(f *Found) bool { return f.Shown == v && f.plans >= mostPlans })
}

// settle shrinks the plan of a violation, and tries it.
func (s *Search) settle(ctx context.Context, sum *Summary, run int, c Candidate, t tried, v Shown) error {
	small, err := s.shrink(ctx, c, v)
	if err != nil {
		return err
	}
	f := &Found{Candidate: small, Shown: v, From: len(c.Plan), Run: run, Sentence: t.has(v).Sentence}
	first := t
	if err := s.confirm(ctx, f, &first); err != nil {
		return err
	}
	f.Sentence = first.has(v).Sentence
	f.Trace = s.Trace(f, first.ran, first.verdicts)
	if f.Times >= Need {
		sum.Found = append(sum.Found, f)
		sum.Unsteady = slices.DeleteFunc(sum.Unsteady, func(u *Found) bool { return u.Shown == v })
		s.report(Progress{Found: f})
		return nil
	}
	if i := slices.IndexFunc(sum.Unsteady, func(u *Found) bool { return u.Shown == v }); i >= 0 {
		sum.Unsteady[i].plans++
	} else {
		sum.Unsteady = append(sum.Unsteady, f)
		s.report(Progress{Unsteady: f})
	}
	return nil
}

// confirm tries a plan until it is known whether it shows its violation often enough. The first run that shows it
// replaces the given one.
func (s *Search) confirm(ctx context.Context, f *Found, first *tried) error {
	replaced := false
	for f.Of < Tries && f.Of-f.Times <= Tries-Need {
		n := min(max(s.Jobs, 1), Tries-f.Of)
		for _, t := range s.tryAll(ctx, slices.Repeat([]Candidate{f.Candidate}, n)) {
			if t.err != nil && !isClient(t.err) {
				return t.err
			}
			f.Of++
			if t.has(f.Shown) == nil {
				continue
			}
			f.Times++
			if !replaced {
				*first, replaced = t, true
			}
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

// holds reports whether each of some runs of a smaller plan shows a violation.
func (s *Search) holds(ctx context.Context, c Candidate, v Shown) (bool, error) {
	for _, t := range s.tryAll(ctx, slices.Repeat([]Candidate{c}, quick)) {
		if t.err != nil && !isClient(t.err) {
			return false, t.err
		}
		if t.has(v) == nil {
			return false, nil
		}
	}
	return true, nil
}

// calm makes a run without faults of each workload. It returns the points that each has passed.
func (s *Search) calm(ctx context.Context, sum *Summary) (profiles []profile, err error) {
	for _, w := range Workloads() {
		t := s.try(ctx, Candidate{"contention", w, nil, s.Seed})
		if t.err != nil {
			return nil, t.err
		}
		sum.Lock, sum.Server = t.ran.Lock, t.ran.Server
		if w.Extends && !extends(t.ran) {
			continue
		}
		profiles = append(profiles, profile{w, t.ran.Profile})
		for _, v := range shown(t.verdicts) {
			if !sum.knows(v) {
				if err := s.settle(ctx, sum, 0, Candidate{"contention", w, nil, s.Seed}, t, v); err != nil {
					return nil, err
				}
			}
		}
	}
	return profiles, nil
}

// extends reports whether the lock of a run was extended, or renewed itself.
func extends(r *Ran) bool {
	return r.Lease > 0 && (slices.ContainsFunc(r.History.Operations, func(op model.Operation) bool { return op.Kind == model.Extend && op.Result == model.OK }) ||
		slices.ContainsFunc(r.Profile, func(s Seen) bool { return s.Phase == Holding && s.Request != "" }))
}
