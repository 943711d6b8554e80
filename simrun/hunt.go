package simrun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// huntFlags are the flags that do not change the result of a search.
type huntFlags struct {
	Jobs     int    `default:"${cpus}" help:"How many worker processes to use, 1 to 256 (default: one for each core, ${cpus} here). Findings do not depend on it." placeholder:"J"`
	Out      string `short:"o" default:"simrun-out" help:"The directory for traces and the state of the search (default ${default}). Each violated property has one trace as a fault and one as a limit." placeholder:"DIR"`
	NoShrink bool   `name:"no-shrink" help:"Do not shrink findings or determine what they need."`
	JSON     bool   `name:"json" help:"Print one JSON object per line: findings, then a summary."`
	JUnit    string `name:"junit" help:"Write the result as JUnit XML to this file: a test case for each property." placeholder:"FILE"`
	Stable   bool   `help:"Leave out elapsed times, which differ from run to run."`
}

func (f *huntFlags) validate() error {
	if f.Jobs < 1 || f.Jobs > 256 {
		return fmt.Errorf("--jobs=%d: want 1 to 256", f.Jobs)
	}
	return nil
}

// hunt is a running search of either kind: new, resumed, or joined from the states of
// shards.
type hunt struct {
	*app
	huntFlags
	id      identity
	cell    scenarios.Cell
	shard   explore.Shard
	known   *explore.State // nil if nothing is
	merging bool           // what is not known is not searched
	shards  []string       // those that were merged

	ctx     context.Context
	print   printer
	live    *live
	keep    *keeper
	reducer *scenarios.Reducer             // nil before the first finding
	told    []told                         // the findings
	tapes   map[explore.TroubleKind]string // traces of troubles
	err     error                          // of files that could not be written
}

// outcome is the result of a search.
type outcome struct {
	*explore.Tally
	result      string
	interrupted bool
	missing     []int                 // parts that are not there to be merged
	check       *explore.CheckSummary // nil for a run
	elapsed     time.Duration
}

// run searches, prints the findings, and exits with the code of the result. If that is 0 and a file
// could not be written, it is another one.
func (h *hunt) run(ctx context.Context) error {
	if err := os.MkdirAll(h.Out, 0o777); err != nil {
		return usageError{fmt.Errorf("the directory for traces cannot be created: %w", err)}
	}
	if err := writable(h.JUnit); err != nil {
		return usageError{err}
	}
	if err := clearJUnit(h.JUnit); err != nil {
		return usageError{err}
	}
	h.ctx, h.live = ctx, newLive(h.app.err)
	h.keep = newKeeper(h.statePath(), &h.id, h.shard, h.known)
	if err := h.keep.flush(); err != nil { // so that it can be resumed whenever it is ended
		return usageError{fmt.Errorf("the state of the search cannot be written: %w", err)}
	}
	h.print = h.printer()
	h.print.begin()
	if !h.merging {
		h.warnOfSize()
	}
	start := time.Now()
	o, err := h.search()
	h.live.clear()
	h.flush()
	if err != nil && !o.interrupted {
		return err
	}
	o.elapsed = time.Since(start)
	h.keepTapes(o.Troubles)
	var warnings []string
	if !o.interrupted && !h.merging && len(o.Troubles) == 0 {
		warnings = scenarios.Warnings(ctx, h.worker, h.cell)
	}
	for _, w := range warnings {
		h.print.warning(w)
	}
	h.keep.state.Said = h.said(o, warnings)
	h.flush()
	h.print.end(o)
	h.err = errors.Join(h.err, writeJUnit(h.JUnit, h.suite(o, start)))
	if err := errors.Join(h.err, h.announce(o)); err != nil {
		fmt.Fprintf(h.app.err, "simrun: %v\n", err)
	}
	switch code := codeOf(o.result); {
	case o.interrupted:
		return exitCode(exitInterrupted)
	case code != exitNone:
		return exitCode(code)
	case h.err != nil:
		return exitCode(exitInternal)
	}
	return nil
}

// flush writes the state. That it cannot be written is reported at the end.
func (h *hunt) flush() {
	if err := h.keep.flush(); err != nil {
		h.err = errors.Join(h.err, fmt.Errorf("the state of the search cannot be written: %w", err))
	}
}

func (h *hunt) search() (*outcome, error) {
	if h.id.Kind == checkKind {
		return h.check()
	}
	search := explore.Search{
		Worker: h.worker, Cell: h.cell.Encode(), Strategy: h.id.Strategy, Seed: h.id.Seed, Schedules: h.id.Runs,
		Shard: h.shard, Jobs: h.Jobs, FailFast: h.id.FailFast, Happenings: len(h.cell.Happenings()), KnownOnly: h.merging,
		OnFinding: h.found, OnBlock: h.keep.block, OnProgress: h.runProgress(),
	}
	if h.known != nil {
		search.Known = maps.Clone(h.known.Blocks)
	}
	sum, err := search.Run(h.ctx)
	return &outcome{Tally: &sum.Tally, result: h.judge(sum.Result()), interrupted: sum.Interrupted, missing: sum.Missing}, err
}

func (h *hunt) check() (*outcome, error) {
	plan := &planning{hunt: h}
	check := explore.Check{
		Worker: h.worker, Cell: h.cell.Encode(), Bound: h.id.Bound, Limit: h.id.Limit, Plain: h.id.Plain,
		Shard: h.shard, Jobs: h.Jobs, FailFast: h.id.FailFast, Happenings: len(h.cell.Happenings()), KnownOnly: h.merging,
		OnFinding: h.found, OnPart: h.keep.part, OnPlan: plan.next, OnProgress: plan.progress,
	}
	if h.known != nil {
		check.Known = slices.Clone(h.known.Parts)
	}
	sum, err := check.Run(h.ctx)
	slices.Sort(sum.Missing)
	return &outcome{Tally: &sum.Tally, result: h.judge(sum.Result()), interrupted: sum.Interrupted, missing: sum.Missing, check: sum}, err
}

// judge is the result. A shard cannot tell whether the search is vacuous or has exhausted
// its bound.
func (h *hunt) judge(result string) string {
	if h.shard.Of > 1 && (result == explore.Vacuous || result == explore.Exhausted) {
		return explore.NoneFound
	}
	return result
}

// again is the command that repeats the search, or this shard of it.
func (h *hunt) again() string {
	words := h.id.words(h.app, h.cell)
	if h.shard.Of > 1 {
		words = append(words, "--shard", h.shard.String())
	}
	return strings.Join(words, " ")
}

// goOn is the command that continues the search.
func (h *hunt) goOn() string {
	words := []string{h.again()}
	if h.Jobs != defaultJobs() {
		words = append(words, "--jobs", fmt.Sprint(h.Jobs))
	}
	if h.Out != defaultOut {
		words = append(words, "--out", wording.Shell(h.Out))
	}
	if h.JUnit != "" {
		words = append(words, "--junit", wording.Shell(h.JUnit))
	}
	for _, f := range []struct {
		set  bool
		flag string
	}{{h.NoShrink, "--no-shrink"}, {h.JSON, "--json"}, {h.Stable, "--stable"}} {
		if f.set {
			words = append(words, f.flag)
		}
	}
	return strings.Join(append(words, "--resume"), " ")
}

// statePath is the path of the search's state.
func (h *hunt) statePath() string {
	return statePath(h.Out, &h.id, h.cell.Settings(), h.shard)
}

// tracePath is the path of the trace of a violation, or of a kind of trouble.
func (h *hunt) tracePath(what string) string {
	return tracePath(h.Out, &h.id, h.cell.Settings(), h.shard, what)
}
