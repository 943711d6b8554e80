package simrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// replayCmd runs a trace again.
type replayCmd struct {
	Trace string `arg:"" help:"The trace file; simrun run writes it to simrun-out."`
	Out   string `short:"o" help:"Write the replayed run as a trace; with the same versions it has the same bytes." placeholder:"FILE"`
	JSON  bool   `name:"json" help:"Print the result as one JSON object."`
	Procs int    `default:"1" help:"GOMAXPROCS of the worker, 1 to 64; it must not change the run (default ${default})." placeholder:"N"`

	Verbose bool `short:"v" help:"Say which line of the lock's code is behind each step."`
}

// Validate checks what kong cannot.
func (c *replayCmd) Validate() error {
	if c.Procs < 1 || c.Procs > 64 {
		return fmt.Errorf("--procs=%d: want 1 to 64", c.Procs)
	}
	return nil
}

// readTrace reads a trace file; what is wrong with it is the user's to know.
func readTrace(path string) (*traces.Trace, error) {
	t, err := traces.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usageError{fmt.Errorf("there is no file %s", path)}
	case err != nil && (strings.HasSuffix(path, runState) || strings.HasSuffix(path, checkState)):
		return nil, usageError{fmt.Errorf("%s is the state of a search, and no trace; the traces that it has found are beside it", path)}
	case err != nil && isDirectory(path):
		return nil, usageError{fmt.Errorf("%s is a directory, and a trace is wanted: %s", path, tracesIn(path))}
	case err != nil:
		return nil, usageError{fmt.Errorf("%w (simrun run writes traces to simrun-out)", err)}
	}
	return t, nil
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// tracesIn says which traces a directory has.
func tracesIn(dir string) string {
	var list []string
	files, _ := filepath.Glob(filepath.Join(dir, "*.json")) // the pattern is well-formed but for odd names, which have no files then
	for _, f := range files {
		if !strings.HasSuffix(f, runState) && !strings.HasSuffix(f, checkState) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return "there is none in it; simrun run writes traces to " + defaultOut
	}
	return "it has " + wording.Some(list)
}

// Run replays the trace and says whether it came out the same.
func (c *replayCmd) Run(ctx context.Context, a *app) error {
	old, err := readTrace(c.Trace)
	if err != nil {
		return err
	}
	if sameFile(c.Out, c.Trace) {
		return usageError{fmt.Errorf("%s is the trace itself: name another file with -o", c.Out)}
	}
	if old.Experiment != nil {
		return c.replayExperiment(ctx, a, old)
	}
	cell, err := a.registry().Of(old)
	if err != nil {
		return usageError{elsewhere(old, c.Trace, "replayed", gotest.Replay, err)}
	}
	r, err := a.replay(ctx, cell, old.Tape, c.Procs)
	if old.Trouble != nil {
		return c.troubled(a, cell, old, r, err)
	}
	if err != nil {
		return err
	}
	now := rerun(cell, old, r)
	if c.Out != "" {
		if err := traces.WriteFile(c.Out, now); err != nil {
			return usageError{fmt.Errorf("the replayed trace cannot be written: %w", err)}
		}
	}
	return c.judge(a, old, now, r)
}

// rerun is the trace of a run that was to repeat a recorded one. What was found
// out about that one is said of this one only if it is the same.
func rerun(cell cell.Cell, old *traces.Trace, r *explore.Result) *traces.Trace {
	now := cell.Trace(old.Seed, old.Schedule, shown(old.Property, r.Violated), r.Outcome())
	now.Strategy = old.Strategy
	if r.Divergence == nil {
		now.Shrunk = old.Shrunk
	}
	if r.Divergence == nil && now.Hash == old.Hash {
		now.Attribution = old.Attribution
		now.StillConfirmed(old)
	}
	return now
}

// shown is the property of which a run is told: that for which the recording was
// kept, or else the first that this run violates; none if it violates none.
func shown(recorded string, violated []model.Violation) string {
	if model.Violates(violated, recorded) {
		return recorded
	}
	if len(violated) == 0 {
		return ""
	}
	first := slices.MinFunc(violated, func(a, b model.Violation) int { return checker.Compare(a.Property, b.Property) })
	return first.Property
}

// elsewhere says why a trace is of no use here: only a test knows its lock, or
// what is wrong with it. Command is the one of go test that does the same there.
func elsewhere(t *traces.Trace, path, done string, command func(*traces.Trace, string) string, err error) error {
	if t.Test == nil || t.Real != nil {
		return fmt.Errorf("%s cannot be %s here: %w", path, done, err)
	}
	return fmt.Errorf("%s cannot be %s here, because only a test knows its lock; in the test's module, run\n  %s",
		path, done, command(t, path))
}

// replayWith is the command that replays a trace; none does with a run on real servers.
func (a *app) replayWith(t *traces.Trace, path string) string {
	if t.Real != nil {
		return ""
	}
	if t.Test != nil {
		return gotest.Replay(t, path)
	}
	return a.name + " replay " + wording.ShellPath(path)
}

// troubled says whether a run that did not finish has done so again. What
// is not as recorded comes first, and then what this run shows.
func (c *replayCmd) troubled(a *app, cell cell.Cell, old *traces.Trace, r *explore.Result, err error) error {
	p := painter(a.out)
	var trouble *explore.Trouble
	if err != nil && !errors.As(err, &trouble) {
		return err
	}
	now := *old
	switch {
	case c.JSON:
		return c.troubledJSON(a, cell, old, r, trouble)
	case err == nil:
		fmt.Fprintf(a.out, "%s the recorded run did not finish (%s); this one did\n\n", p.red("DIFFERENT"), old.Trouble.Kind)
		now = *rerun(cell, old, r)
		now.Schedule = -1 // it is of no search
	case string(trouble.Kind) != old.Trouble.Kind:
		fmt.Fprintf(a.out, "%s the recorded run ended otherwise: %s, not %s\n\n", p.red("DIFFERENT"), old.Trouble.Kind, trouble.Kind)
		now.Trouble = &traces.Trouble{Kind: string(trouble.Kind), Reason: trouble.Reason, Stack: trouble.Stack, Leaked: trouble.Leaked}
	}
	if err := render.Explain(a.out, &now, verbosely(a.out, c.Verbose)); err != nil {
		return err
	}
	if trouble != nil && string(trouble.Kind) == old.Trouble.Kind {
		fmt.Fprintf(a.out, "%s %s again: %s\n", p.bold("replayed"), trouble.Kind, trouble.Reason)
	}
	if trouble != nil && trouble.Stack != "" {
		fmt.Fprintln(a.out, wording.Indent(trouble.Stack))
	}
	return exitCode(exitTrouble)
}

// replay runs the tape in a worker.
func (a *app) replay(ctx context.Context, cell cell.Cell, tape []sim.Choice, procs int) (*explore.Result, error) {
	worker := a.worker
	worker.Procs = procs
	result, err := worker.Replay(ctx, cell.Encode(), tape)
	switch {
	case err != nil:
		return nil, err
	case result.Trouble != nil:
		return nil, result.Trouble
	}
	return result, nil
}

// judge compares the replayed run with the recorded one, and tells what this run
// shows.
func (c *replayCmd) judge(a *app, old, now *traces.Trace, r *explore.Result) error {
	sameVersions, differs := old.Made.Equal(now.Made), ""
	kept := old.Property == "" || old.Violation().Shown(r.Violated)
	if r.Divergence == nil {
		differs = difference(old, now)
	}
	var err error
	if c.JSON {
		j := c.compared(a, old, now, r, differs)
		err = j.print(a, now)
	} else {
		err = c.tell(a, old, now, r, differs)
	}
	switch {
	case err != nil:
		return err
	case (r.Divergence != nil || differs != "") && (sameVersions || !kept):
		return exitCode(exitTrouble)
	case len(r.Violated) > 0:
		return exitCode(exitViolation)
	}
	return nil
}

// tell tells what this run shows. What is not as recorded comes first.
func (c *replayCmd) tell(a *app, old, now *traces.Trace, r *explore.Result, differs string) error {
	p := painter(a.out)
	sameVersions, recorded := old.Made.Equal(now.Made), old.Violation()
	kept := old.Property == "" || recorded.Shown(r.Violated)
	same := fmt.Sprintf("%s %s events, hash %s, as recorded", p.bold("replayed"), wording.Grouped(len(now.Events)), now.Hash)
	told := *now
	switch {
	case r.Divergence != nil:
		diverged(a.out, p, r.Divergence, recorded, r.Violated)
		told.Schedule = -1 // it is of no search
		same = ""
	case differs == "":
	case sameVersions:
		fmt.Fprintf(a.out, "%s all decisions match, but %s\n\n", p.red("DIFFERENT"), differs)
		same = ""
	case !kept:
		fmt.Fprintf(a.out, "%s with these versions the run no longer violates %s\n\n", p.red("DIFFERENT"), recorded.Words())
		same = ""
	default:
		same = fmt.Sprintf("%s the run is not identical, as other versions allow; %s is violated as recorded", p.bold("replayed"), old.Property)
	}
	if err := render.Explain(a.out, &told, verbosely(a.out, c.Verbose)); err != nil {
		return err
	}
	if !sameVersions {
		fmt.Fprintf(a.out, "%s recorded with %s, replayed with %s\n", p.yellow("note"), old.Made, now.Made)
	}
	if text := now.Reclassified(old); text != "" {
		fmt.Fprintf(a.out, "%s %s\n", p.yellow("note"), text)
	}
	if text := old.LeftOut(); text != "" {
		fmt.Fprintf(a.out, "%s %s This run was made with all events.\n", p.yellow("note"), text)
	}
	if same != "" {
		fmt.Fprintln(a.out, same)
	}
	return nil
}

// difference says how two traces of one tape differ, but for the versions that
// made them; nothing if they do not.
func difference(old, now *traces.Trace) string {
	now = now.Bounded() // as it was written
	one, two := *old, *now
	one.Made, two.Made = nil, nil
	one.Remarks, two.Remarks = nil, nil
	if len(one.Properties) == 0 { // recorded before traces had the words of their properties
		two.Properties = nil
	}
	if bytes.Equal(encoded(&one), encoded(&two)) {
		return ""
	}
	switch {
	case !reflect.DeepEqual(old.Events, now.Events) || !reflect.DeepEqual(old.History, now.History):
		return explore.FirstDifference(recording(old), recording(now))
	case !reflect.DeepEqual(old.Verdicts, now.Verdicts):
		return "the recorded verdicts differ from those of the run"
	case old.Hash != now.Hash:
		return "the recorded hash is " + old.Hash + ", and the run's is " + now.Hash
	}
	return "the recorded description of the run differs"
}

func encoded(t *traces.Trace) []byte {
	var b bytes.Buffer
	_ = traces.Encode(&b, t) // a buffer takes everything
	return b.Bytes()
}

func recording(t *traces.Trace) *explore.Recording {
	return &explore.Recording{Events: t.Events, Choices: t.Tape, History: t.History}
}

// diverged says where the tape stopped fitting, and what the run violates that is
// told next.
func diverged(w io.Writer, p paint, d *explore.Divergence, recorded model.Violation, violated []model.Violation) {
	has, asked := "the recording has no more decisions", "the run had ended"
	if d.Recorded != "" {
		has = fmt.Sprintf("the recording has %s with %d options", d.Recorded, d.RecordedOptions)
	}
	if d.Asked != "" {
		asked = fmt.Sprintf("the run asked %s with %d options", d.Asked, d.AskedOptions)
	}
	fmt.Fprintf(w, "%s at decision %d: %s, and %s\n", p.red("DIVERGED"), d.Decision, has, asked)
	if d.Overlay {
		fmt.Fprintf(w, "  The recorded run chose the order of goroutines: build this program with %s.\n", explore.Overlay)
	}
	fmt.Fprintf(w, "  From there on, recorded choices are used for the decisions that recur. What follows is this run,\n")
	now := shown(recorded.Property, violated)
	switch {
	case now == "" && recorded.Property == "":
		fmt.Fprintf(w, "  which violates nothing.\n\n")
	case now == "":
		fmt.Fprintf(w, "  which violates nothing: not %s, as the recorded one does.\n\n", recorded.Words())
	case now == recorded.Property:
		fmt.Fprintf(w, "  which still violates %s.\n\n", now)
	case recorded.Property == "":
		fmt.Fprintf(w, "  which violates %s.\n\n", now)
	default:
		fmt.Fprintf(w, "  which violates %s, and not %s, as the recorded one does.\n\n", now, recorded.Words())
	}
}
