package hunt

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// The defaults of a search.
const (
	// DefaultSeed and DefaultSchedules are the seed and the number of schedules of a search by a strategy. Such a search takes
	// seconds.
	DefaultSeed      = 1
	DefaultSchedules = 2000
	// DefaultLimit is the maximum number of schedules of a bound of an exhaustive search; a
	// larger bound is not begun. Such a search takes minutes.
	DefaultLimit = 200_000
)

// TestKind is the kind of the searches that tests keep, in the identities of their states ([explore.State]).
const TestKind = "test"

// Search selects the schedules of a cell to run: a number by a strategy, or all within a
// bound.
type Search struct {
	// Strategy chooses the schedules. It is empty for an exhaustive search.
	Strategy string
	// Seed and Schedules are the seed and the number of schedules of a search by a strategy. An exhaustive search has neither.
	Seed      uint64
	Schedules int
	// Bound is the maximum number of deviations in a schedule of an exhaustive search. Limit is
	// the maximum number of schedules of a bound; a larger bound is not begun. Plain also runs
	// schedules that differ from others only in the order of independent events.
	Bound, Limit int
	Plain        bool
	// FailFast ends the search with its first finding.
	FailFast bool
	// Time is the processor time after which a search by a strategy ends, 0 for no limit.
	Time time.Duration
	// Shard is the part of the search that this hunt runs, and Range the part of its blocks.
	Shard explore.Shard
	Range explore.Range
	// Unconfirmed skips confirmation in a search by a strategy; the merge confirms. [Result].Findings is then empty.
	Unconfirmed bool
}

// Hunt searches a cell and processes its findings: it confirms each by another run in another
// process, shrinks it, and groups the findings by their causes. Findings and traces depend on the
// cell and the search alone, not on the caller. A Hunt is used once.
type Hunt struct {
	Search
	Cell cell.Cell
	// Reducer shrinks findings. The search uses its workers too. With NoShrink findings are not shrunk.
	Reducer  Reducer
	NoShrink bool
	// Shown is set if the caller shows every finding: all are shrunk. Otherwise only the reported finding of each cause is.
	Shown bool
	// SampleLast makes the determinism check after the search instead of before it, for callers that show findings at once. A
	// sampled schedule that stalls then no longer replaces the search.
	SampleLast bool
	// Reports reports whether a violation is reported; nil for none. Covered, if not nil, reports whether another hunt already
	// reports a simple case of a failure's cause; the failure is then not reported.
	Reports func(model.Violation) bool
	Covered func(*causes.Failure) bool
	// Enough, if not nil, ends a search by a strategy with the first schedule after which it returns true.
	Enough func(*explore.Summary) bool
	// ShrinkBudget returns the processor time left for shrinking and attributing the next finding, above 0; nil means
	// unlimited. A finding for which it does not suffice has a note about that.
	ShrinkBudget func() time.Duration
	// Test names the test that searches, nil outside of tests.
	Test *traces.Test
	// State has the results of an earlier search or of other shards, nil for none. With KnownOnly nothing more is searched.
	State     *explore.State
	KnownOnly bool

	// OnFinding, if not nil, is called for each finding, in the order in which they are found. OnBlock and OnPart are called
	// for each finished part of the search, with its entry in a state. The others report progress. OnReduce is called before a
	// finding is shrunk, and the function that it returns afterwards. Run calls all of them in its own goroutine.
	OnFinding       func(*Finding)
	OnBlock         func(int, explore.Tally)
	OnPart          func(explore.CheckPart)
	OnPlan          func(explore.Plan)
	OnProgress      func(*explore.Summary)
	OnCheckProgress func(*explore.CheckSummary)
	OnReduce        func() (done func())
}

// Finding is the first violation of a property as a fault, or the first as a limit.
type Finding struct {
	// Trace is the counterexample. It is shrunk if the finding is reported, or if [Hunt].Shown is set.
	Trace *traces.Trace
	// Notes are remarks for the reader, such as why it was not shrunk. Unsteady is set if it may not recur: another run of its
	// tape differed.
	Notes    []string
	Unsteady bool

	asFound *traces.Trace // before it was shrunk
}

// Result is the result of a hunt.
type Result struct {
	*explore.Tally
	// Word is the result in one word: see package explore.
	Word string
	// Interrupted is set if the context of the hunt ended, and Cut if Time ended the search before its last schedule.
	Interrupted, Cut bool
	// Missing are the parts that State lacks, if KnownOnly is set.
	Missing []int
	// Check is the summary of an exhaustive search, nil of another.
	Check *explore.CheckSummary
	// Findings are in the order in which they were found. Reported has the finding of each cause that is reported in full.
	Findings []*Finding
	Reported []*Finding
}

// Run runs the hunt. An error is one of the workers or of the context; the result then has everything found before it.
func (h *Hunt) Run(ctx context.Context) (*Result, error) {
	r := &running{Hunt: h, ctx: ctx, result: &Result{Tally: &explore.Tally{}}, in: map[model.Violation]int{}}
	var trouble *explore.Trouble
	var err error
	if !r.SampleLast {
		trouble, err = r.sample()
	}
	if err == nil && (trouble == nil || trouble.Kind == explore.Nondeterministic) {
		r.sampled = trouble
		if h.Strategy == "" {
			err = r.check()
		} else {
			err = r.search()
		}
		r.deliverRest()
		return r.result, err
	}
	r.none(trouble)
	return r.result, err
}

// none returns the result without a search: because of trouble, or because the hunt was interrupted if trouble is nil.
func (r *running) none(trouble *explore.Trouble) {
	sum := &explore.Summary{Interrupted: r.ctx.Err() != nil}
	sum.Happened = make([]int, len(r.Cell.Happenings()))
	if trouble != nil {
		sum.Troubles = []explore.Trouble{*trouble}
	}
	r.result.Tally, r.result.Word, r.result.Interrupted = &sum.Tally, sum.Result(), sum.Interrupted
	if trouble != nil && r.Strategy != "" && r.OnBlock != nil {
		r.OnBlock(0, sum.Tally) // so that merging the shards gives the result of one machine
	}
	if r.Strategy == "" {
		r.result.Check = &explore.CheckSummary{Tally: sum.Tally, Bound: r.Bound, Complete: -1, Interrupted: sum.Interrupted}
	}
}

// running is a hunt that runs.
type running struct {
	*Hunt
	ctx    context.Context
	result *Result
	// sampled is how two runs of one sampled schedule differ, nil if none do.
	sampled *explore.Trouble

	allowance *explore.Allowance
	reported  []*causes.Failure // those of the findings that are reported
	// in has the schedule that first showed each violation. The other fields are about the current schedule, the n-th with
	// findings: shrunk has its violations.
	in       map[model.Violation]int
	schedule int
	n        int
	shrunk   map[model.Violation]*reduced
}

// search searches by a strategy.
func (r *running) search() error {
	s := explore.Search{
		Worker: r.Reducer.Worker, Cell: r.Cell.Encode(), Strategy: r.Strategy, Seed: r.Seed, Schedules: r.Schedules,
		Shard: r.Shard, Range: r.Range, Unconfirmed: r.Unconfirmed, Jobs: r.Reducer.Jobs, FailFast: r.FailFast, Impatient: true, Happenings: len(r.Cell.Happenings()), KnownOnly: r.KnownOnly,
		OnFinding: r.found, OnProgress: r.OnProgress, Time: r.Time, Enough: r.Enough,
	}
	if r.State != nil {
		s.Known, s.Spans = maps.Clone(r.State.Blocks), r.State.Spans
	}
	if r.OnBlock != nil {
		s.OnBlock = func(n int, t explore.Tally) {
			if n == 0 {
				r.addSampled(&t)
			}
			r.OnBlock(n, t)
		}
	}
	sum, err := s.Run(r.ctx)
	if r.SampleLast && err == nil && !sum.Interrupted && len(sum.Troubles) == 0 {
		r.sampled, err = r.sample()
		sum.Interrupted = r.ctx.Err() != nil
	}
	r.addSampled(&sum.Tally)
	r.result.Tally, r.result.Word, r.result.Interrupted, r.result.Missing, r.result.Cut = &sum.Tally, r.word(sum.Result()), sum.Interrupted, sum.Missing, sum.Cut
	return err
}

// check searches exhaustively.
func (r *running) check() error {
	c := explore.Check{
		Worker: r.Reducer.Worker, Cell: r.Cell.Encode(), Bound: r.Bound, Limit: r.Limit, Plain: r.Plain,
		Shard: r.Shard, Jobs: r.Reducer.Jobs, FailFast: r.FailFast, Happenings: len(r.Cell.Happenings()), KnownOnly: r.KnownOnly,
		OnFinding: r.found, OnPlan: r.OnPlan, OnProgress: r.OnCheckProgress,
	}
	if r.State != nil {
		c.Known = slices.Clone(r.State.Parts)
	}
	if r.OnPart != nil {
		c.OnPart = func(p explore.CheckPart) {
			if p.Bound == 0 && p.Part == 0 {
				r.addSampled(&p.Tally)
			}
			r.OnPart(p)
		}
	}
	sum, err := c.Run(r.ctx)
	r.addSampled(&sum.Tally)
	slices.Sort(sum.Missing)
	r.result.Tally, r.result.Word, r.result.Interrupted, r.result.Missing, r.result.Check = &sum.Tally, r.word(sum.Result()), sum.Interrupted, sum.Missing, sum
	return err
}

// word returns the result in one word. A shard does not know whether the search is vacuous or has exhausted its bound.
func (r *running) word(word string) string {
	if r.Shard.Of > 1 && (word == explore.Vacuous || word == explore.Exhausted) {
		return explore.NoneFound
	}
	return word
}
