package explore

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// Check is an exhaustive search: all schedules with at most Bound deviations from calm, fewest
// first. Deviations are orders of events that are due together, slow or late segments, and
// faults. Seeds are always calm, and selects try their cases in the order of the source.
type Check struct {
	Worker Worker
	Cell   json.RawMessage
	Bound  int
	// Plain disables partial-order reduction.
	Plain bool
	Shard Shard
	// Jobs is the number of worker processes, 1 if zero.
	Jobs int
	// Limit is the largest number of schedules, unlimited if zero: a bound with more is
	// not begun. This is decided when the size of bound 2 is known; later sizes are
	// estimates.
	Limit int
	// FailFast ends the check with the first finding. Until ends it with the first
	// finding that shows that violation ([model.Violation.Shown]); its zero value never
	// does.
	FailFast bool
	Until    model.Violation
	// Happenings is the number of things that must each happen at least once: see [Search].
	Happenings int
	// Known are parts that have been searched before. KnownOnly joins them and
	// searches no others.
	Known     []CheckPart
	KnownOnly bool

	// OnPlan is called before each bound with the sizes known so far.
	OnPlan     func(Plan)
	OnFinding  func(Finding)
	OnPart     func(CheckPart)
	OnProgress func(*CheckSummary)
}

// Plan is the plan of a check before a bound.
type Plan struct {
	// Bound is the next bound.
	Bound int
	// Sizes are the numbers of schedules to run for each bound. Those of earlier bounds
	// are exact. That of the next bound omits branches of schedules that were assigned
	// to a class without being run; later ones are estimates.
	Sizes []float64
	// Last is the last bound that will be begun, as far as known; Settled is set if it
	// is final.
	Last    int
	Settled bool
}

// CheckPart is the result of a part of a check: the schedules with exactly Bound
// deviations whose first one is among some of the calm run's branches. Parts are
// independent: each numbers its schedules from 0.
type CheckPart struct {
	Bound int   `json:"bound"`
	Part  int   `json:"part"`
	Tally Tally `json:"tally"`
	// Orders are the classes of runs up to the order of independent events, and
	// Needless those of runs with a needless deviation.
	Orders   Classes `json:"orders"`
	Needless Classes `json:"needless"`
	// Branches is the number of schedules with one more deviation to run. Idle is the
	// number of those that need no run, since they are known to be in a class that has
	// been run.
	Branches int `json:"branches"`
	Idle     int `json:"idle"`
}

func newPart(bound, part, happenings int) CheckPart {
	return CheckPart{Bound: bound, Part: part, Tally: newTally(happenings), Orders: Classes{}, Needless: Classes{}}
}

// Level is the result of all schedules with the same number of deviations.
type Level struct {
	// Schedules is the number of schedules that were run. Idle is the number of those
	// that were not run, since they are known to be in the class of one that was.
	Schedules, Idle int
	// Orders is the number of classes of orders at the end of the level.
	Orders int
}

// CheckSummary is the result of a check, or its progress so far.
type CheckSummary struct {
	Tally
	// Bound is the requested bound, and Complete the highest bound that was
	// searched completely, -1 if none was.
	Bound, Complete int
	Levels          []Level
	// Orders are the classes of runs up to the order of independent events.
	Orders Classes
	// Unmatched is the number of runs with a needless deviation whose class no
	// other run has. If it is not 0, the reduction does not hold for this code.
	Unmatched int
	// Sizes are the numbers of schedules of each bound, and Limited is set if the next
	// bound has too many to be begun.
	Sizes       []float64
	Limited     bool
	Interrupted bool
	// Missing are the parts, of any bound, that KnownOnly did not find among the
	// known ones.
	Missing []int
}

// Result returns the check's result in one word.
func (s *CheckSummary) Result() string {
	found := Summary{Tally: s.Tally, Interrupted: s.Interrupted || s.Complete < s.Bound || s.Unmatched > 0}
	if r := found.Result(); r != NoneFound {
		return r
	}
	return Exhausted
}

// Run runs the check. Its error is like that of [Search.Run].
func (c Check) Run(ctx context.Context) (*CheckSummary, error) {
	k := &checking{
		Check: c, ctx: ctx,
		sum:     &CheckSummary{Tally: newTally(c.Happenings), Bound: c.Bound, Complete: -1, Orders: Classes{}},
		confirm: confirmer{hand: Hand{Worker: c.Worker, confirms: true}, cell: c.Cell},
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
	parts    []int // this shard's remaining parts of the present bound, in order
	known    map[int]*CheckPart
	part     CheckPart
	level    Level
	last     int  // the last bound to begin
	start    int  // the number of the part's first schedule
	missing  bool // some part of the present bound is missing
	branches int  // of all parts of the present bound
	needless Classes
	confirm  confirmer
	err      error
	stop     bool
}

// partSize returns how many of the calm run's branches belong to one part.
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
		if bound > k.last {
			k.sum.Limited = true
			break
		}
		if err := k.search(bound); err != nil || k.stop {
			k.unfinished()
			return err
		}
		k.finish(bound)
		if err := k.scout(bound); err != nil {
			return err
		}
	}
	return k.err
}

// unfinished adds the level that was begun but not finished.
func (k *checking) unfinished() {
	rest := k.sum.Schedules
	for _, l := range k.sum.Levels {
		rest -= l.Schedules
	}
	if rest > 0 {
		k.sum.Levels = append(k.sum.Levels, Level{Schedules: rest, Idle: k.level.Idle, Orders: len(k.sum.Orders)})
	}
}

// calm makes the calm run, from which all others branch off.
func (k *checking) calm() error {
	h := Hand{Worker: k.Worker}
	defer h.Close()
	return h.runAll(k.ctx, k.request(0, 0), false, func(r Result) bool {
		if r.Trouble != nil {
			k.sum.Troubles = append(k.sum.Troubles, *r.Trouble)
			k.stop = true
			return true
		}
		k.root = *r.Node
		k.branches = r.Node.Branches
		return true
	})
}

// plan computes the number of schedules of each bound: that of the next one is known,
// the others are extrapolated, assuming that every deviation leaves equally many next
// ones. The decision before bound 2 is final, so that all shards, which know no more of
// later bounds, decide alike.
func (k *checking) plan(bound int) {
	s := []float64{1, float64(k.root.Branches)}
	switch {
	case bound == 2 || bound > 2 && k.Shard.Of < 2:
		s = slices.Concat(k.sum.Sizes[:bound], []float64{float64(k.branches)})
	case bound > 2:
		s = k.sum.Sizes
	}
	for len(s) <= k.Bound {
		n := len(s)
		next := 0.0
		if s[n-2] > 0 {
			next = s[n-1] * (s[n-1] / s[n-2] * float64(n-1)) / float64(n)
		}
		s = append(s, next)
	}
	k.sum.Sizes = s[:k.Bound+1]
	if bound <= 2 {
		k.last = k.within(min(k.Bound, max(bound, 1)))
		if bound == 2 && k.last == 2 {
			k.last = k.within(k.Bound)
		}
	}
	if k.OnPlan != nil {
		settled := bound >= 2 || k.Bound <= 1 || k.last < 1
		last := k.last
		if !settled {
			last = k.within(k.Bound)
		}
		k.OnPlan(Plan{Bound: bound, Sizes: slices.Clone(k.sum.Sizes), Last: last, Settled: settled})
	}
}

// within returns the last bound up to the given one that the limit allows.
func (k *checking) within(bound int) int {
	sum := 0.0
	for b := range bound + 1 {
		if sum += k.sum.Sizes[b]; k.Limit > 0 && sum > float64(k.Limit) {
			return b - 1
		}
	}
	return bound
}

// scout counts for a shard, after bound 1, the schedules with two deviations of the
// other shards.
func (k *checking) scout(bound int) error {
	if bound != 1 || k.Bound < 2 || k.Shard.Of < 2 || k.KnownOnly {
		return nil
	}
	var requests []Request
	for part := range k.partsOf(bound) {
		if !k.Shard.Has(part) {
			requests = append(requests, k.request(bound, part))
		}
	}
	p := &pool{worker: k.Worker, jobs: k.Jobs, finished: func(int) bool { return true }}
	p.each = func(_ int, r Result) bool {
		if r.Node != nil && !r.Node.Inner {
			k.branches += r.Node.Branches
		}
		return true
	}
	return p.run(k.ctx, len(requests), func(i int) Request { return requests[i] })
}

// partsOf returns the number of parts of a bound.
func (k *checking) partsOf(bound int) int {
	if bound == 0 {
		return 1
	}
	size := partSize(bound)
	return (k.root.Branches + k.root.Idle + size - 1) / size
}

func (k *checking) request(bound, part int) Request {
	size := partSize(bound)
	return Request{Cell: k.Cell, Tree: &Tree{Bound: bound, First: part * size, Count: size, Plain: k.Plain}}
}

// search runs all of the shard's parts of a bound.
func (k *checking) search(bound int) error {
	k.parts, k.level, k.branches, k.missing = nil, Level{}, 0, false
	k.known = map[int]*CheckPart{}
	for i := range k.Known {
		if p := &k.Known[i]; p.Bound == bound {
			k.known[p.Part] = p
		}
	}
	var requests []Request
	for part := range k.partsOf(bound) {
		if !k.Shard.Has(part) {
			continue
		}
		k.parts = append(k.parts, part)
		if k.known[part] == nil && !k.KnownOnly {
			requests = append(requests, k.request(bound, part))
		}
	}
	if !k.recall(bound) || len(requests) == 0 {
		return k.err
	}
	p := &pool{worker: k.Worker, jobs: k.Jobs, each: k.each, finished: k.finished}
	if err := p.run(k.ctx, len(requests), func(i int) Request { return requests[i] }); err != nil {
		return err
	}
	return k.err
}

// recall joins the known parts before the next fresh one, and begins that.
func (k *checking) recall(bound int) (more bool) {
	for len(k.parts) > 0 && !k.stop {
		part := k.parts[0]
		p := k.known[part]
		if p == nil && !k.KnownOnly {
			k.begin(newPart(bound, part, k.Happenings))
			break
		}
		k.parts = k.parts[1:]
		if p != nil {
			k.again(*p)
			continue
		}
		k.missing = true
		if !slices.Contains(k.sum.Missing, part) {
			k.sum.Missing = append(k.sum.Missing, part)
		}
	}
	return !k.stop
}

// begin makes a part the present one.
func (k *checking) begin(p CheckPart) { k.part, k.start = p, k.sum.Schedules }

// again counts a part that has been searched before.
func (k *checking) again(p CheckPart) {
	before := maps.Clone(k.sum.Violations)
	k.begin(p)
	k.count(&p)
	t := p.Tally.moved(k.start)
	k.sum.join(&t)
	for _, v := range t.order() {
		if before[v] == 0 {
			k.found(v, t.First[v])
		}
	}
	k.part.Tally.forget(before)
	if k.OnPart != nil {
		k.OnPart(k.part)
	}
	k.stop = k.stop || tooMuch(k.sum.Troubles, false)
}

// each counts a result.
func (k *checking) each(_ int, r Result) (more bool) {
	if r.Node != nil && r.Node.Inner {
		k.part.Idle += r.Node.Idle
		return true
	}
	fresh := k.sum.fresh(&r)
	r = r.numbered(k.part.Tally.Schedules)
	k.part.Tally.add(&r)
	r = r.numbered(k.sum.Schedules)
	k.sum.add(&r)
	if n := r.Node; n != nil {
		k.part.Branches += n.Branches
		if n.Needless && !k.Plain {
			k.part.Needless[n.Class] = struct{}{}
		} else {
			k.part.Orders[n.Class] = struct{}{}
			k.sum.Orders[n.Class] = struct{}{}
		}
	}
	for _, v := range fresh {
		k.found(v, k.sum.First[v])
	}
	if k.OnProgress != nil {
		k.OnProgress(k.sum)
	}
	k.stop = k.stop || tooMuch(k.sum.Troubles, false)
	return !k.stop
}

// finished ends a part.
func (k *checking) finished(int) (more bool) {
	p := k.part
	k.count(&p)
	known := maps.Clone(k.sum.Violations)
	for v, f := range p.Tally.First { // unordered: each by itself
		if k.sum.First[v].Schedule == k.start+f.Schedule {
			delete(known, v)
		}
	}
	p.Tally.forget(known)
	if k.OnPart != nil {
		k.OnPart(p)
	}
	k.parts = k.parts[1:]
	return k.recall(p.Bound)
}

// count adds a part's numbers and classes to the level.
func (k *checking) count(p *CheckPart) {
	k.level.Schedules += p.Tally.Schedules
	k.level.Idle += p.Idle
	k.branches += p.Branches
	k.sum.Orders.join(p.Orders)
	k.needless.join(p.Needless)
}

// finish ends a bound. Unless some runs are missing, the bound is complete, and finish
// checks the reduction.
func (k *checking) finish(bound int) {
	k.level.Orders = len(k.sum.Orders)
	k.sum.Levels = append(k.sum.Levels, k.level)
	k.level = Level{}
	if len(k.sum.Troubles) == 0 && !k.missing && k.sum.Complete == bound-1 {
		k.sum.Complete = bound
	}
	if k.Shard.Of > 1 || len(k.sum.Missing) > 0 || len(k.sum.Troubles) > 0 {
		return // a run of the same class may be missing
	}
	k.sum.Unmatched = 0
	for c := range k.needless { // unordered: counting
		if _, matched := k.sum.Orders[c]; !matched {
			k.sum.Unmatched++
		}
	}
}

// found runs the first schedule of a violation again, and reports it.
func (k *checking) found(v model.Violation, f Found) {
	o, stands, trouble, err := k.confirm.again(k.ctx, v, &f, Request{Replay: true, Lenient: true, Tape: f.Deviating})
	if err != nil {
		var unfounded *Unfounded
		if errors.As(err, &unfounded) {
			unfounded.Schedule -= k.start
			unfounded.Bound, unfounded.Part = k.part.Bound, k.part.Part
		}
		k.err, k.stop = err, true
		return
	}
	if trouble != nil {
		trouble.Schedule, trouble.Tape = f.Schedule, f.Tape
		k.sum.Troubles = append(k.sum.Troubles, *trouble)
		here := *trouble
		here.Schedule -= k.start
		k.part.Tally.Troubles = append(k.part.Tally.Troubles, here)
	}
	if !stands {
		disown(v, &k.sum.Tally, &k.part.Tally)
		return
	}
	k.sum.confirmed(v, f)
	k.part.Tally.confirmed(v, f)
	k.stop = k.stop || k.FailFast || k.Until.Shown([]model.Violation{v})
	if k.OnFinding != nil {
		k.OnFinding(Finding{Property: v.Property, Limit: v.Limit, Schedule: f.Schedule, Tape: f.Tape, Outcome: o, Differs: trouble})
	}
}
