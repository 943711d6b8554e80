package explore

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
)

// Check is an exhaustive search: all schedules with at most Bound deviations
// from calm, fewest first. What deviates are the orders of events that are due
// together, segments that are slow or late, and faults; seeds do not.
type Check struct {
	Worker Worker
	Cell   json.RawMessage
	Bound  int
	// Plain does without partial-order reduction.
	Plain bool
	Shard Shard
	// Jobs is how many worker processes there are, 1 if zero.
	Jobs int
	// Limit is how many schedules there may be, for ever many if zero: a bound
	// with more is not begun.
	Limit      int
	FailFast   bool
	Happenings int
	// Known are parts that have been searched before.
	Known []CheckPart

	// OnPlan is called when it is known how many schedules there are with one
	// deviation, and again after each bound, with the sizes of all bounds, of
	// which those not yet reached are estimates.
	OnPlan     func(sizes []float64, done int)
	OnFinding  func(Finding)
	OnPart     func(CheckPart)
	OnProgress func(*CheckSummary)
}

// CheckPart is what came of a part of a check: the schedules with exactly Bound
// deviations whose first one is among some of the calm run's branches.
type CheckPart struct {
	Bound int   `json:"bound"`
	Part  int   `json:"part"`
	Tally Tally `json:"tally"`
	// Orders are the classes of runs, up to the order of independent events,
	// and Needless those of runs with a needless deviation.
	Orders   Classes `json:"orders"`
	Needless Classes `json:"needless"`
	// Branches is how many schedules there are with one deviation more, and
	// Idle how many besides are known to be of a class that has been run.
	Branches int `json:"branches"`
	Idle     int `json:"idle"`
}

func newPart(bound, part, happenings int) CheckPart {
	return CheckPart{Bound: bound, Part: part, Tally: newTally(happenings), Orders: Classes{}, Needless: Classes{}}
}

// Level is what came of all schedules with the same number of deviations.
type Level struct {
	// Schedules were run. Idle were not, since they are known to be of the
	// class of one that was.
	Schedules, Idle int
}

// CheckSummary is what a check came to, or has come to so far.
type CheckSummary struct {
	Tally
	// Bound is what was asked for, and Complete the highest bound that was
	// searched whole, -1 if none was.
	Bound, Complete int
	Levels          []Level
	// Orders are the classes of runs up to the order of independent events.
	Orders Classes
	// Unmatched is how many runs with a needless deviation are of no class that
	// another has. There should be none: the reduction does not hold for this
	// code.
	Unmatched int
	// Sizes are how many schedules each bound has, and Limited is set if the
	// next one was not begun for that.
	Sizes       []float64
	Limited     bool
	Interrupted bool
}

// Result is the check's result in one word.
func (s *CheckSummary) Result() string {
	found := Summary{Tally: s.Tally, Interrupted: s.Interrupted || s.Complete < s.Bound || s.Unmatched > 0}
	if r := found.Result(); r != NoneFound {
		return r
	}
	return Exhausted
}

// Run checks. Its error is as that of [Search.Run].
func (c Check) Run(ctx context.Context) (*CheckSummary, error) {
	k := &checking{
		Check: c, ctx: ctx,
		sum:     &CheckSummary{Tally: newTally(c.Happenings), Bound: c.Bound, Complete: -1, Orders: Classes{}},
		confirm: confirmer{hand: Hand{Worker: c.Worker}, cell: c.Cell},
	}
	defer k.confirm.hand.Close()
	err := k.run()
	k.sum.Interrupted = ctx.Err() != nil
	return k.sum, err
}

// checking is a check at work.
type checking struct {
	Check
	ctx      context.Context // of this Run
	sum      *CheckSummary
	root     Node
	parts    []int // of the present bound: those of this shard, in order
	part     CheckPart
	level    Level
	branches int
	needless Classes
	confirm  confirmer
	err      error
	stop     bool
}

// partSize is how many of the calm run's branches belong to one part.
func partSize(bound int) int {
	if bound == 1 {
		return 32
	}
	return 1
}

func (k *checking) run() error {
	k.needless = Classes{}
	if err := k.calm(); err != nil || k.stop {
		return err
	}
	for bound := 0; bound <= k.Bound && !k.stop; bound++ {
		k.plan(bound)
		if size := int(k.sum.Sizes[bound]); k.Limit > 0 && k.sum.Schedules+size > k.Limit {
			k.sum.Limited = true
			break
		}
		if err := k.search(bound); err != nil {
			return err
		}
		if !k.stop {
			k.finish(bound)
		}
	}
	if len(k.sum.Levels) > k.sum.Complete+1 || k.level.Schedules == 0 {
		return k.err
	}
	k.sum.Levels = append(k.sum.Levels, k.level) // begun, and not finished
	return k.err
}

// calm makes the calm run, from which all others branch off.
func (k *checking) calm() error {
	h := Hand{Worker: k.Worker}
	defer h.Close()
	return h.whole(k.ctx, k.request(0, 0), func(r Result) {
		if r.Trouble != nil {
			k.sum.Troubles = append(k.sum.Troubles, *r.Trouble)
			k.stop = true
			return
		}
		k.root = *r.Node
		k.branches = r.Node.Branches
	})
}

// plan works out how many schedules each bound has: those of the next one are
// known, the others follow from it as if every deviation left the same choice
// of a next one. A shard knows its own only.
func (k *checking) plan(done int) {
	s := append(k.sum.Sizes[:0:0], k.sum.Sizes...)
	if done == 0 {
		s = []float64{1, float64(k.root.Branches)}
	} else {
		s = append(s[:done], float64(k.branches))
	}
	for len(s) <= k.Bound {
		n := len(s)
		width := s[n-1] / s[n-2] * float64(n-1)
		s = append(s, s[n-1]*width/float64(n))
	}
	k.sum.Sizes = s[:k.Bound+1]
	if k.OnPlan != nil {
		k.OnPlan(k.sum.Sizes, done)
	}
}

func (k *checking) request(bound, part int) Request {
	size := partSize(bound)
	return Request{Cell: k.Cell, Tree: &Tree{Bound: bound, First: part * size, Count: size, Plain: k.Plain}}
}

// search runs all parts of one bound that are the shard's.
func (k *checking) search(bound int) error {
	k.parts, k.level, k.branches = nil, Level{}, 0
	parts := 1
	if all := k.root.Branches + k.root.Idle; bound > 0 {
		parts = (all + partSize(bound) - 1) / partSize(bound)
	}
	known := map[int]*CheckPart{}
	for i := range k.Known {
		if p := &k.Known[i]; p.Bound == bound {
			known[p.Part] = p
		}
	}
	var requests []Request
	for part := range parts {
		switch p := known[part]; {
		case !k.Shard.Has(part):
		case p != nil:
			k.recall(p)
		default:
			k.parts = append(k.parts, part)
			requests = append(requests, k.request(bound, part))
		}
	}
	if len(requests) == 0 || k.stop {
		return k.err
	}
	k.part = newPart(bound, k.parts[0], k.Happenings)
	p := &pool{worker: k.Worker, jobs: k.Jobs, each: k.each, finished: k.finished}
	if err := p.run(k.ctx, requests); err != nil {
		return err
	}
	return k.err
}

// recall counts a part that has been searched before.
func (k *checking) recall(p *CheckPart) {
	before := maps.Clone(k.sum.Violations)
	k.count(p)
	k.sum.join(&p.Tally)
	for _, id := range slices.Sorted(maps.Keys(p.Tally.First)) {
		if before[id] == 0 {
			k.found(id, p.Tally.First[id])
		}
	}
	if k.OnPart != nil {
		k.OnPart(*p)
	}
}

// each counts a result.
func (k *checking) each(_ int, r Result) (more bool) {
	if r.Node != nil && r.Node.Inner {
		k.part.Idle += r.Node.Idle
		return true
	}
	fresh := k.sum.fresh(&r)
	r.Schedule = k.sum.Schedules
	k.sum.add(&r)
	k.part.Tally.add(&r)
	if n := r.Node; n != nil {
		k.part.Branches += n.Branches
		if n.Needless && !k.Plain {
			k.part.Needless[n.Class] = struct{}{}
		} else {
			k.part.Orders[n.Class] = struct{}{}
			k.sum.Orders[n.Class] = struct{}{}
		}
	}
	for _, id := range fresh {
		k.found(id, k.sum.First[id])
	}
	if k.OnProgress != nil {
		k.OnProgress(k.sum)
	}
	k.stop = k.stop || len(k.sum.Troubles) >= maxTroubles
	return !k.stop
}

// finished ends a part.
func (k *checking) finished(request int) (more bool) {
	p := k.part
	k.count(&p)
	known := maps.Clone(k.sum.Violations)
	for id, f := range p.Tally.First { // unordered: each by itself
		if k.sum.First[id].Schedule == f.Schedule {
			delete(known, id)
		}
	}
	p.Tally.forget(known)
	if k.OnPart != nil {
		k.OnPart(p)
	}
	if request+1 < len(k.parts) {
		k.part = newPart(p.Bound, k.parts[request+1], k.Happenings)
	}
	return !k.stop
}

// count adds what the level and the classes need of a part.
func (k *checking) count(p *CheckPart) {
	k.level.Schedules += p.Tally.Schedules
	k.level.Idle += p.Idle
	k.branches += p.Branches
	k.sum.Orders.join(p.Orders)
	k.needless.join(p.Needless)
}

// finish ends a bound: it is complete, and the reduction is checked.
func (k *checking) finish(bound int) {
	k.sum.Levels = append(k.sum.Levels, k.level)
	k.level = Level{}
	if len(k.sum.Troubles) == 0 {
		k.sum.Complete = bound
	}
	k.sum.Unmatched = 0
	for c := range k.needless { // unordered: counting
		if _, matched := k.sum.Orders[c]; !matched {
			k.sum.Unmatched++
		}
	}
}

// found runs the first violation of a property again, and tells of it.
func (k *checking) found(property string, f Found) {
	o, trouble, err := k.confirm.again(k.ctx, f)
	switch {
	case err != nil:
		k.err, k.stop = err, true
	case trouble != nil:
		trouble.Schedule, trouble.Tape = f.Schedule, f.Tape
		k.sum.Troubles = append(k.sum.Troubles, *trouble)
		disown(property, &k.sum.Tally, &k.part.Tally)
	default:
		k.stop = k.stop || k.FailFast
		if k.OnFinding != nil {
			k.OnFinding(Finding{Property: property, Schedule: f.Schedule, Tape: f.Tape, Outcome: o})
		}
	}
}
