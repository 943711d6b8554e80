package recorded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// Diff compares two runs.
type Diff struct {
	A   string `arg:"" help:"A trace, or a directory with one trace."`
	B   string `arg:"" optional:"" help:"Another one. Without it, the counterexample A is compared with its nearest passing run: that without one of the deviations that it needs."`
	Out string `short:"o" help:"Write both runs, one above the other, as a page to this HTML file (- for standard output)." placeholder:"FILE"`
}

// Help describes the exit codes.
func (Diff) Help() string {
	return "Exit codes: 0 the runs are equal, 1 they differ, 2 a trace cannot be read or has nothing to compare with, 4 the counterexample does not replay."
}

// Run compares the runs.
func (c *Diff) Run(ctx context.Context, h *Host) error {
	names := [2]string{c.A, c.B}
	for i, name := range names {
		path, err := At(name)
		if err != nil {
			return err
		}
		if SameFile(c.Out, path) {
			return command.Usagef("%s is one of the traces: name another file for the page with -o", c.Out)
		}
		names[i] = path
	}
	d, note, err := h.compare(ctx, names[0], names[1])
	if err != nil {
		return err
	}
	again := h.Program + " diff " + wording.ShellPath(c.A)
	if c.B != "" {
		again += " " + wording.ShellPath(c.B)
	}
	if err := c.write(h, d, note, again); err != nil {
		return err
	}
	if d.Equal() {
		return nil
	}
	return Exit(ExitViolation)
}

// compare reads the traces and compares them; without the path of a second one, the first is compared with its nearest
// passing run. The note, if not empty, is a further remark.
func (h *Host) compare(ctx context.Context, one, two string) (d *render.Difference, note string, err error) {
	first, err := Read(one)
	if err != nil {
		return nil, "", err
	}
	if two == "" {
		return h.compareWithPassing(ctx, first, one)
	}
	second, err := Read(two)
	if err != nil {
		return nil, "", err
	}
	for _, t := range []struct {
		path string
		*traces.Trace
	}{{one, first}, {two, second}} {
		if t.Trouble != nil {
			return nil, "", command.Usagef("%s did not finish (%s): it has no events to compare", t.path, t.Trouble.Kind)
		}
	}
	return render.Compare(render.Compared{Name: one, Trace: first}, render.Compared{Name: two, Trace: second}), "", nil
}

// compareWithPassing compares a counterexample with its nearest passing run.
func (h *Host) compareWithPassing(ctx context.Context, old *traces.Trace, path string) (d *render.Difference, note string, err error) {
	if err := hunt.MayTakeAway(old); err != nil {
		return nil, "", command.Usagef("%s has no nearest passing run: %w; name a second trace: %s diff %s OTHER", path, err, h.Program, wording.ShellPath(path))
	}
	cell, err := h.cell(old, path, "run")
	if err != nil {
		return nil, "", err
	}
	r, err := h.run(ctx, cell, old.Tape, 1)
	if err != nil {
		return nil, "", err
	}
	now := rerun(cell, old, r) // which has all events
	switch {
	case now.Hash == old.Hash:
	case !old.Violation().Shown(r.Violated):
		fmt.Fprintf(h.Err, "simrun: %s no longer violates %s here: see %s replay %s\n", path, old.Violation().Words(), h.Program, wording.ShellPath(path))
		return nil, "", Exit(ExitTrouble)
	default:
		note = fmt.Sprintf("%s was recorded with %s and is not identical here; A is its replay.", path, old.Made)
	}
	passing, err := hunt.NearestPassing(ctx, cell, h.Worker, now, func(run, atMost int) {
		h.Show("looking for the nearest passing run: %s of at most %s", wording.Grouped(run), wording.GroupedCount(atMost, "run"))
	})
	h.Clear()
	if errors.Is(err, hunt.ErrNothingToTake) {
		return nil, "", command.Usagef("%s has no nearest passing run: %w; name a second trace: %s diff %s OTHER", path, err, h.Program, wording.ShellPath(path))
	}
	if err != nil {
		return nil, "", err
	}
	return passing.Compare(path, now), note, nil
}

// write writes the text, and the page if requested.
func (c *Diff) write(h *Host, d *render.Difference, note, again string) error {
	var notes []string
	if note != "" {
		notes = append(notes, note)
	}
	if c.Out == "-" {
		return d.Page(wording.Data(h.Out), again, notes...)
	}
	if err := d.Text(h.Out, render.Style{Color: h.Color}); err != nil {
		return err
	}
	if note != "" {
		fmt.Fprintf(h.Out, "\nnote   %s\n", wording.Printable(note))
	}
	if c.Out == "" {
		return nil
	}
	var page bytes.Buffer
	if err := d.Page(&page, again, notes...); err != nil {
		return err
	}
	err := traces.Replace(c.Out, func(w io.Writer) error {
		_, err := w.Write(page.Bytes())
		return err
	})
	if err != nil {
		return command.Usagef("the page cannot be written: %w", err)
	}
	fmt.Fprintf(h.Out, "\nwrote %s: both runs, one above the other; open it in a browser\n", c.Out)
	return nil
}
