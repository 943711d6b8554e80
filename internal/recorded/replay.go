package recorded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// Replay runs a trace again.
type Replay struct {
	Trace string `arg:"" help:"The trace file; simrun run writes it to simrun-out."`
	Out   string `short:"o" help:"Write the replayed run as a trace; with the same versions it has the same bytes." placeholder:"FILE"`
	JSON  bool   `name:"json" help:"Print the result as one JSON object."`
	Procs int    `default:"1" help:"GOMAXPROCS of the worker, 1 to 64; it must not change the run (default ${default})." placeholder:"N"`

	Verbose bool `short:"v" help:"Show the line of the lock's code behind each step."`
}

// Validate checks the flags.
func (c *Replay) Validate() error {
	if c.Procs < 1 || c.Procs > 64 {
		return fmt.Errorf("--procs=%d: want 1 to 64", c.Procs)
	}
	return nil
}

// Run replays the trace and reports whether the run is identical.
func (c *Replay) Run(ctx context.Context, h *Host) error {
	old, err := Read(c.Trace)
	if err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return err
	}
	cell, err := h.cell(old, c.Trace, "replayed")
	if err != nil {
		return err
	}
	r, err := h.run(ctx, cell, old.Tape, c.Procs)
	if old.Trouble != nil {
		return c.troubled(h, cell, old, r, err)
	}
	if err != nil {
		return err
	}
	now := rerun(cell, old, r)
	if err := c.Keep(now); err != nil {
		return err
	}
	return c.judge(h, old, now, r)
}

// Check refuses to write the replayed trace over the trace itself.
func (c *Replay) Check() error {
	if SameFile(c.Out, c.Trace) {
		return command.Usagef("%s is the trace itself: name another file with -o", c.Out)
	}
	return nil
}

// Keep writes the replayed trace, if requested.
func (c *Replay) Keep(now *traces.Trace) error {
	if c.Out == "" {
		return nil
	}
	if err := traces.WriteFile(c.Out, now); err != nil {
		return command.Usagef("the replayed trace cannot be written: %w", err)
	}
	return nil
}

// rerun returns the trace of a run that repeats a recorded one. It has the attribution and the confirmations of the
// recorded one only if the runs are identical.
func rerun(cell cell.Cell, old *traces.Trace, r *explore.Result) *traces.Trace {
	now := cell.Trace(old.Seed, old.Schedule, shown(old.Property, r.Violated), r.Outcome())
	now.Strategy, now.Test = old.Strategy, old.Test
	if r.Divergence == nil {
		now.Shrunk = old.Shrunk
	}
	if r.Divergence == nil && now.Hash == old.Hash {
		now.Attribution = old.Attribution
		now.StillConfirmed(old)
	}
	return now
}

// shown returns the property by which a run is explained: the one for which the recording was kept if the run violates it,
// or else the first that it violates; empty if it violates none.
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

// troubled reports whether a run that did not finish did so as recorded. Differences are printed first, then the
// explanation of this run.
func (c *Replay) troubled(h *Host, cell cell.Cell, old *traces.Trace, r *explore.Result, err error) error {
	p := h.paint()
	var trouble *explore.Trouble
	if err != nil && !errors.As(err, &trouble) {
		return err
	}
	now := *old
	switch {
	case c.JSON:
		return c.troubledJSON(h, cell, old, r, trouble)
	case err == nil:
		fmt.Fprintf(h.Out, "%s the recorded run did not finish (%s); this one did\n\n", p.Red("DIFFERENT"), old.Trouble.Kind)
		now = *rerun(cell, old, r)
		now.Schedule = -1 // it is of no search
	case string(trouble.Kind) != old.Trouble.Kind:
		fmt.Fprintf(h.Out, "%s the recorded run ended otherwise: %s, not %s\n\n", p.Red("DIFFERENT"), old.Trouble.Kind, trouble.Kind)
		now.Trouble = &traces.Trouble{Kind: string(trouble.Kind), Reason: trouble.Reason, Stack: trouble.Stack, Leaked: trouble.Leaked}
	}
	if err := render.Explain(h.Out, &now, h.Style(c.Verbose)); err != nil {
		return err
	}
	if trouble != nil && string(trouble.Kind) == old.Trouble.Kind {
		fmt.Fprintf(h.Out, "%s %s again: %s\n", p.Bold("replayed"), trouble.Kind, trouble.Reason)
	}
	if trouble != nil && trouble.Stack != "" {
		fmt.Fprintln(h.Out, wording.Indent(trouble.Stack))
	}
	return Exit(ExitTrouble)
}

// judge compares the replayed run with the recorded one, and explains this run.
func (c *Replay) judge(h *Host, old, now *traces.Trace, r *explore.Result) error {
	sameVersions, differs := old.Made.Equal(now.Made), ""
	kept := old.Property == "" || old.Violation().Shown(r.Violated)
	if r.Divergence == nil {
		differs = Difference(old, now)
	}
	var err error
	if c.JSON {
		j := c.Compared(old, now, r, differs, h.Versions)
		err = j.Print(h.Out, now)
	} else {
		err = c.print(h, old, now, r, differs)
	}
	switch {
	case err != nil:
		return err
	case (r.Divergence != nil || differs != "") && (sameVersions || !kept):
		return Exit(ExitTrouble)
	case len(r.Violated) > 0:
		return Exit(ExitViolation)
	}
	return nil
}

// print explains this run. Differences from the recording are printed first.
func (c *Replay) print(h *Host, old, now *traces.Trace, r *explore.Result, differs string) error {
	p := h.paint()
	sameVersions, recorded := old.Made.Equal(now.Made), old.Violation()
	kept := old.Property == "" || recorded.Shown(r.Violated)
	same := fmt.Sprintf("%s %s events, hash %s, as recorded", p.Bold("replayed"), wording.Grouped(len(now.Events)), now.Hash)
	shows := *now
	switch {
	case r.Divergence != nil:
		diverged(h.Out, p, r.Divergence, recorded, r.Violated)
		shows.Schedule = -1 // it is of no search
		same = ""
	case differs == "":
	case sameVersions:
		fmt.Fprintf(h.Out, "%s all decisions match, but %s\n\n", p.Red("DIFFERENT"), differs)
		same = ""
	case !kept:
		fmt.Fprintf(h.Out, "%s with these versions the run no longer violates %s\n\n", p.Red("DIFFERENT"), recorded.Words())
		same = ""
	default:
		same = fmt.Sprintf("%s the run is not identical, as other versions allow; %s is violated as recorded", p.Bold("replayed"), old.Property)
	}
	if err := render.Explain(h.Out, &shows, h.Style(c.Verbose)); err != nil {
		return err
	}
	if !sameVersions {
		fmt.Fprintf(h.Out, "%s recorded with %s, replayed with %s\n", p.Yellow("note"), old.Made, now.Made)
	}
	if text := now.Reclassified(old); text != "" {
		fmt.Fprintf(h.Out, "%s %s\n", p.Yellow("note"), text)
	}
	if text := old.LeftOut(); text != "" {
		fmt.Fprintf(h.Out, "%s %s This run was made with all events.\n", p.Yellow("note"), text)
	}
	if same != "" {
		fmt.Fprintln(h.Out, same)
	}
	return nil
}

// Difference describes how two traces of one tape differ, apart from the versions that made them; "" if they do not.
func Difference(old, now *traces.Trace) string {
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

// diverged prints where the tape no longer fits, and what the run, which is explained next, violates.
func diverged(w io.Writer, p wording.Paint, d *explore.Divergence, recorded model.Violation, violated []model.Violation) {
	has, asked := "the recording has no more decisions", "the run had ended"
	if d.Recorded != "" {
		has = fmt.Sprintf("the recording has %s with %d options", d.Recorded, d.RecordedOptions)
	}
	if d.Asked != "" {
		asked = fmt.Sprintf("the run asked %s with %d options", d.Asked, d.AskedOptions)
	}
	fmt.Fprintf(w, "%s at decision %d: %s, and %s\n", p.Red("DIVERGED"), d.Decision, has, asked)
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
