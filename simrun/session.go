package simrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
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
	return recorded.Jobs(f.Jobs)
}

// session is a running search of either kind: new, resumed, or joined from the states of
// shards.
type session struct {
	*app
	huntFlags
	id      identity
	cell    cell.Cell
	shard   explore.Shard
	known   *explore.State // nil for none
	merging bool           // missing results are not searched
	shards  []string       // those that were merged
	// exitZero is set if findings do not affect the exit code.
	exitZero bool
	// certificate is the file for a check's certificate, "" for none.
	certificate string
	joined      bool // known results are from other machines, and the state begins empty

	print   printer
	live    *live
	saved   *hunt.StateFile
	found   []finding         // so far
	reports []*causes.Failure // those to be reported, once all are found
	tapes   map[string]string // traces of troubles, by troubleFile
	err     error             // from files that could not be written
	unkept  error             // from the last write of the state
}

// outcome is the result of a search.
type outcome struct {
	*explore.Tally
	result      string
	interrupted bool
	missing     []int                 // parts missing in the merge
	notSearched []string              // flaws that no schedule can show
	check       *explore.CheckSummary // nil for a run
	elapsed     time.Duration
}

// run searches, prints the findings, and exits with the code of the result. If that is 0, also by --exit-zero, and a file
// could not be written, the code is another.
func (h *session) run(ctx context.Context) error {
	if err := os.MkdirAll(h.Out, 0o777); err != nil {
		return usageError{fmt.Errorf("the directory for traces cannot be created: %w", err)}
	}
	if err := command.Writable(h.JUnit); err != nil {
		return usageError{err}
	}
	if err := clearJUnit(h.JUnit); err != nil {
		return usageError{err}
	}
	h.live = newLive(h.app.err)
	h.saved = hunt.NewStateFile(h.statePath(), h.beginning())
	if err := h.saved.Flush(); err != nil { // so that it can be resumed however it ends
		return usageError{fmt.Errorf("the state of the search cannot be written: %w", err)}
	}
	h.print = h.printer()
	h.print.begin()
	if !h.merging {
		h.warnOfSize(ctx)
	}
	start := time.Now()
	o, err := h.hunt(ctx)
	h.live.clear()
	h.flush()
	if err != nil && !o.interrupted {
		return err
	}
	o.elapsed = time.Since(start)
	h.keepTapes(o.Troubles)
	if unfinished := func(t explore.Trouble) bool { return !t.Leaked }; !o.interrupted && !h.merging && !slices.ContainsFunc(o.Troubles, unfinished) {
		o.notSearched = cell.NotSearched(ctx, h.worker, h.cell)
	}
	h.saved.State.Said = h.conclusion(o)
	h.flush()
	h.print.end(o)
	h.err = errors.Join(h.err, h.unkept, h.certify(o), writeJUnit(h.JUnit, h.suite(o, start)))
	if err := errors.Join(h.err, h.announce(o)); err != nil {
		fmt.Fprintf(h.app.err, "simrun: %v\n", err)
	}
	switch code := recorded.CodeOf(o.result); {
	case o.interrupted:
		return exitCode(exitInterrupted)
	case h.unkept != nil && h.shard.Of > 1: // the merge will lack it, whatever was found
		return exitCode(exitInternal)
	case code != exitNone && !h.exitZero:
		return exitCode(code)
	case h.err != nil:
		return exitCode(exitInternal)
	}
	return nil
}

// beginning returns the known state with which the search begins.
func (h *session) beginning() explore.State {
	state := explore.State{Identity: h.id.encode(), Shard: shardName(h.shard)}
	if h.known != nil {
		state.Spans = h.known.Spans
	}
	if h.known != nil && !h.joined {
		state.Blocks, state.Parts = h.known.Blocks, h.known.Parts
	}
	return state
}

// flush writes the state. The error of the last write is reported at the end.
func (h *session) flush() {
	h.unkept = h.saved.Flush()
	if h.unkept != nil {
		h.unkept = fmt.Errorf("the state of the search cannot be written: %w", h.unkept)
	}
}

// hunt searches and processes the findings. Every finding is shrunk, since each has a trace of its own.
func (h *session) hunt(ctx context.Context) (*outcome, error) {
	search := &hunt.Hunt{
		Search: hunt.Search{
			Strategy: h.id.Strategy, Seed: h.id.Seed, Schedules: h.id.Runs,
			Bound: h.id.Bound, Limit: h.id.Limit, Plain: h.id.Plain, FailFast: h.id.FailFast, Shard: h.shard,
		},
		Cell: h.cell, Reducer: recorded.NewReducer(h.worker, h.registry(), h.Jobs, h.live.meanwhile), NoShrink: h.NoShrink, Shown: true, Reports: everyViolation,
		State: h.known, KnownOnly: h.merging,
		OnFinding: func(f *hunt.Finding) { h.keepFinding(ctx, f) }, OnBlock: h.saved.Block, OnPart: h.saved.Part,
		OnReduce: h.live.away,
	}
	if h.id.Kind == checkKind {
		plan := &planning{session: h}
		search.OnPlan, search.OnCheckProgress = plan.next, plan.progress
	} else {
		search.OnProgress = h.runProgress()
	}
	r, err := search.Run(ctx)
	h.reports = r.Failures(everyViolation)
	for _, one := range h.reports {
		for i := range h.found {
			if h.found[i].Trace.Violation() == one.Trace.Violation() {
				one.Path, one.Note = h.found[i].path, strings.Join(h.found[i].Notes, "; ")
			}
		}
	}
	return &outcome{Tally: r.Tally, result: r.Word, interrupted: r.Interrupted, missing: r.Missing, check: r.Check}, err
}

// everyViolation reports every violation: faults and limits are both reported, each by their causes.
func everyViolation(model.Violation) bool { return true }

// again returns the command that repeats the search, or this shard of it.
func (h *session) again() string {
	words := h.id.words(h.app, h.cell)
	if h.shard.Of > 1 {
		words = append(words, "--shard", h.shard.String())
	}
	return strings.Join(words, " ")
}

// goOn returns the command that continues the search.
func (h *session) goOn() string {
	words := []string{h.again()}
	if h.Jobs != defaultJobs() {
		words = append(words, "--jobs", fmt.Sprint(h.Jobs))
	}
	if h.Out != recorded.DefaultOut {
		words = append(words, "--out", wording.Shell(h.Out))
	}
	if h.JUnit != "" {
		words = append(words, "--junit", wording.Shell(h.JUnit))
	}
	for _, f := range []struct {
		set  bool
		flag string
	}{{h.exitZero, "--exit-zero"}, {h.NoShrink, "--no-shrink"}, {h.JSON, "--json"}, {h.Stable, "--stable"}} {
		if f.set {
			words = append(words, f.flag)
		}
	}
	return strings.Join(append(words, "--resume"), " ")
}

// statePath returns the path of the search's state.
func (h *session) statePath() string {
	return statePath(h.Out, &h.id, h.cell.Settings(), h.shard)
}

// tracePath returns the path of the trace of a violation, or of a kind of trouble.
func (h *session) tracePath(what string) string {
	return tracePath(h.Out, &h.id, h.cell.Settings(), h.shard, what)
}
