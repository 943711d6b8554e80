package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// The results of a search, in addition to the kinds of [Trouble].
const (
	Violation = "violation"  // some property was violated
	NoneFound = "none-found" // no property was violated in the schedules that were run
	// Exhausted: no violation in any schedule within the bound.
	Exhausted = "exhausted"
	// Vacuous: no violation, but something that must happen never did, so the
	// result is meaningless.
	Vacuous = "vacuous"
)

// Search is a search by a strategy: schedules 0 to Schedules-1 of a seed, or this
// shard's blocks of them.
type Search struct {
	Worker    Worker
	Cell      json.RawMessage
	Strategy  string
	Seed      uint64
	Schedules int
	Shard     Shard
	// Range is the part of the blocks to search, by their numbers.
	Range Range
	// Jobs is the number of worker processes, 1 if zero. Findings do not depend on
	// it.
	Jobs int
	// FailFast ends the search with the first finding. Until ends it with the first
	// finding that shows that violation ([model.Violation.Shown]); its zero value never
	// does.
	FailFast bool
	Until    model.Violation
	// Impatient ends the search with the first run that stalled or was given up,
	// not with the third. Each such run takes seconds to detect.
	Impatient bool
	// Unconfirmed skips confirmation: the merge of the blocks confirms findings, once for all parts.
	Unconfirmed bool
	// Enough, if not nil, ends the search with the first schedule after which it
	// returns true. It is called after every schedule, in order, by the goroutine that
	// searches.
	Enough func(*Summary) bool
	// Time limits the processor time of the search's runs, including those that confirm findings; 0 means no
	// limit. How many schedules it allows depends on the machine; the findings of a schedule do not.
	Time time.Duration
	// Happenings is the number of things that must each happen at least once; bit i of
	// a result's Happened is the i-th.
	Happenings int
	// Known are blocks that have been searched before, by their numbers. They are not searched
	// again. In a search without shards a tally may cover several blocks, from its number on;
	// Spans then has how many.
	Known map[int]Tally
	Spans map[int]int
	// KnownOnly joins the known blocks and searches no others.
	KnownOnly bool

	// OnFinding is called for the first fault and the first limit of each property.
	// OnBlock is called for each finished block, in order, with the tally to keep.
	// OnProgress is called after every schedule. All are called by the goroutine that
	// searches.
	OnFinding  func(Finding)
	OnBlock    func(block int, t Tally)
	OnProgress func(*Summary)
}

// Shard is a part of a search: every Of-th block, beginning with block Index-1.
// The zero value is all of it.
type Shard struct{ Index, Of int }

// Has reports whether a block, or another numbered part, is the shard's.
func (s Shard) Has(n int) bool { return s.Of == 0 || n%s.Of == s.Index-1 }

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// Finding is the first violation of a property as a fault, or the first as a limit.
// A property can have both.
type Finding struct {
	Property string
	Limit    bool
	Schedule int
	// Tape runs the finding again, and Outcome is the outcome of that run.
	Tape    []sim.Choice
	Outcome Outcome
	// Differs is set if another run of the tape violated the property, too, but
	// differed otherwise. It is one of the summary's troubles.
	Differs *Trouble
}

// Summary is the result of a search, or its progress so far.
type Summary struct {
	Tally
	// Interrupted is set if the search was ended from outside before its last schedule, and Cut if its Time
	// ended it.
	Interrupted, Cut bool
	// Missing are the blocks that KnownOnly did not find among the known ones.
	Missing []int
}

// Result returns the search's result in one word. A violation outranks all others;
// trouble outranks missing blocks.
func (s *Summary) Result() string {
	if len(s.Violations) > 0 {
		return Violation
	}
	for _, kind := range []TroubleKind{Nondeterministic, Crashed, Stalled, Refused} {
		if slices.ContainsFunc(s.Troubles, func(t Trouble) bool { return t.Kind == kind }) {
			return string(kind)
		}
	}
	switch {
	case len(s.Troubles) > 0 || s.Undecided > 0 || s.Interrupted || s.Cut || len(s.Missing) > 0:
		return string(Inconclusive)
	case slices.Contains(s.Happened, 0):
		return Vacuous
	}
	return NoneFound
}

// Run runs the search. Its error is about starting a worker, or about the context. All
// outcomes of runs, including the death of a worker, are in the summary, which covers
// the runs made even if there is an error.
func (s Search) Run(ctx context.Context) (*Summary, error) {
	if s.Strategy == "" {
		s.Strategy = RandomStrategy
	}
	s.Worker.Meter = s.Worker.Meter.Part()
	r := &searching{
		Search: s, sum: &Summary{Tally: newTally(s.Happenings)}, block: newTally(s.Happenings),
		confirm: confirmer{hand: Hand{Worker: s.Worker, confirms: true}, cell: s.Cell},
	}
	defer r.confirm.hand.Close()
	err := r.run(ctx)
	r.sum.Interrupted = ctx.Err() != nil
	return r.sum, err
}

// searching is a search at work.
type searching struct {
	Search
	sum     *Summary
	block   Tally // of the block at hand
	blocks  []int // this shard's, in order
	fresh   []int // those not known
	confirm confirmer
	ctx     context.Context // of this Run
	err     error
	stop    bool
}

func (s *searching) run(ctx context.Context) error {
	s.ctx = ctx
	first, end := s.Range.of(Blocks(s.Strategy, s.Schedules))
	for b := first; b < end; b += max(s.Spans[b], 1) {
		if !s.Shard.Has(b) {
			continue
		}
		s.blocks = append(s.blocks, b)
		if _, known := s.Known[b]; known || s.KnownOnly {
			continue
		}
		s.fresh = append(s.fresh, b)
	}
	// There may be millions of requests, so each is made when it is its turn.
	request := func(i int) Request {
		first, end := block(s.Strategy, s.fresh[i]*BlockSize, s.Schedules)
		return Request{Cell: s.Cell, Strategy: s.Strategy, Seed: s.Seed, First: first, Count: end - first}
	}
	p := &pool{worker: s.Worker, jobs: s.Jobs, impatient: s.Impatient, each: s.each, finished: s.finished}
	p.late = func() bool { return s.Worker.Meter.past(s.Time) }
	if s.recall() {
		if err := p.run(ctx, len(s.fresh), request); err != nil {
			return err
		}
		s.sum.Cut = p.cut
	}
	return s.err
}

// recall joins the known blocks before the next fresh one.
func (s *searching) recall() (more bool) {
	for len(s.blocks) > 0 && !s.stop {
		b := s.blocks[0]
		t, known := s.Known[b]
		if !known && !s.KnownOnly {
			break
		}
		s.blocks = s.blocks[1:]
		if !known {
			s.sum.Missing = append(s.sum.Missing, b)
			continue
		}
		if s.err = s.outside(b, &t); s.err != nil {
			return false
		}
		before := maps.Clone(s.sum.Violations)
		s.sum.join(&t)
		s.block = t
		for _, v := range t.order() {
			if before[v] == 0 {
				s.found(v, t.First[v])
			}
		}
		t, s.block = s.block, newTally(s.Happenings)
		s.keep(b, t, before)
	}
	return !s.stop
}

// outside returns the error for a known block that has findings of schedules outside the block.
func (s *searching) outside(b int, t *Tally) error {
	first, _ := block(s.Strategy, b*BlockSize, s.Schedules)
	_, end := block(s.Strategy, (b+max(s.Spans[b], 1)-1)*BlockSize, s.Schedules)
	for _, v := range t.order() {
		if n := t.First[v].Schedule; n < first || n >= end {
			return &Unfounded{Violation: v, Schedule: n, Why: fmt.Sprintf("it is recorded in block %d, which has schedules %d to %d", b, first, end-1)}
		}
	}
	return nil
}

// each counts a result.
func (s *searching) each(_ int, r Result) (more bool) {
	fresh := s.sum.fresh(&r)
	s.sum.add(&r)
	s.block.add(&r)
	for _, v := range fresh {
		s.found(v, s.sum.First[v])
	}
	if s.OnProgress != nil {
		s.OnProgress(s.sum)
	}
	s.stop = s.stop || s.Enough != nil && s.Enough(s.sum)
	return !s.stop
}

// finished ends a block.
func (s *searching) finished(int) (more bool) {
	b := s.blocks[0]
	s.blocks = s.blocks[1:]
	t := s.block
	s.block = newTally(s.Happenings)
	known := maps.Clone(s.sum.Violations)
	for v, f := range t.First { // unordered: each by itself
		if s.sum.First[v].Schedule == f.Schedule {
			delete(known, v)
		}
	}
	s.keep(b, t, known)
	return s.recall()
}

// keep passes a block on to OnBlock, and ends the search if it has too much trouble.
func (s *searching) keep(b int, t Tally, known map[model.Violation]int) {
	t.forget(known)
	if s.OnBlock != nil {
		s.OnBlock(b, t)
	}
	s.stop = s.stop || tooMuch(s.sum.Troubles, s.Impatient)
}

// found runs the first schedule of a violation again, and reports the violation if that
// run shows it, too.
func (s *searching) found(v model.Violation, f Found) {
	if s.Unconfirmed {
		return
	}
	o, stands, trouble, err := s.confirm.again(s.ctx, v, &f, s.alone(f.Schedule))
	if err != nil {
		s.err, s.stop = err, true
		return
	}
	if trouble != nil {
		trouble.Schedule, trouble.Tape = f.Schedule, f.Tape
		s.sum.Troubles = append(s.sum.Troubles, *trouble)
		s.block.Troubles = append(s.block.Troubles, *trouble)
	}
	if !stands {
		disown(v, &s.sum.Tally, &s.block)
		return
	}
	s.sum.confirmed(v, f)
	s.block.confirmed(v, f)
	s.stop = s.stop || s.FailFast || s.Until.Shown([]model.Violation{v})
	if s.OnFinding != nil {
		s.OnFinding(Finding{Property: v.Property, Limit: v.Limit, Schedule: f.Schedule, Tape: f.Tape, Outcome: o, Differs: trouble})
	}
}

// alone requests a schedule of the present block. The strategy learns from the block's
// earlier schedules again, without those that did not finish the first time.
func (s *searching) alone(schedule int) Request {
	q := Request{Strategy: s.Strategy, Seed: s.Seed, First: schedule, Count: 1}
	for i := range s.block.Troubles {
		if t := &s.block.Troubles[i]; t.Kind != Nondeterministic && t.Schedule < schedule {
			q.Skip = append(q.Skip, t.Schedule)
		}
	}
	for _, leaked := range s.block.Leaked {
		if leaked < schedule {
			q.Skip = append(q.Skip, leaked)
		}
	}
	return q
}

// disown removes a finding that did not repeat, and everything that the present part of
// the search has recorded of it, which is not confirmed.
func disown(v model.Violation, sum, part *Tally) {
	n := part.Violations[v]
	for cause, n := range part.Causes[v] { // unordered: each by itself
		if sum.caused(v, cause, -n); sum.Causes[v][cause] <= 0 {
			delete(sum.Causes[v], cause)
		}
	}
	delete(part.Violations, v)
	delete(part.First, v)
	delete(part.Causes, v)
	if sum.Violations[v] -= n; sum.Violations[v] <= 0 {
		delete(sum.Violations, v)
		delete(sum.First, v)
		delete(sum.Causes, v)
	}
}
