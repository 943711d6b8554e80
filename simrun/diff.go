package simrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// diffCmd compares two runs.
type diffCmd struct {
	A   string `arg:"" help:"A trace, or a directory with one trace."`
	B   string `arg:"" optional:"" help:"Another one. Without it, the counterexample A is compared with its nearest passing run: that without one of the deviations that it needs."`
	Out string `short:"o" help:"Write both runs, one above the other, as a page to this HTML file (- for standard output)." placeholder:"FILE"`
}

// Help says what the exit codes are.
func (diffCmd) Help() string {
	return "Exit codes: 0 the runs are equal, 1 they differ, 2 a trace cannot be read or has nothing to compare with, 4 the counterexample does not replay."
}

// Run compares the runs.
func (c *diffCmd) Run(ctx context.Context, a *app) error {
	names := [2]string{c.A, c.B}
	for i, name := range names {
		path, err := traceAt(name)
		if err != nil {
			return err
		}
		if sameFile(c.Out, path) {
			return usageError{fmt.Errorf("%s is one of the traces: name another file for the page with -o", c.Out)}
		}
		names[i] = path
	}
	d, note, err := a.compare(ctx, names[0], names[1])
	if err != nil {
		return err
	}
	again := a.name + " diff " + wording.ShellPath(c.A)
	if c.B != "" {
		again += " " + wording.ShellPath(c.B)
	}
	if err := c.write(a, d, note, again); err != nil {
		return err
	}
	if d.Equal() {
		return nil
	}
	return exitCode(exitViolation)
}

// traceAt is the path of a trace, which may be the only one in a directory; empty for no path.
func traceAt(path string) (string, error) {
	info, err := os.Stat(path)
	if path == "" || err != nil || !info.IsDir() {
		return path, nil // to read it says what is wrong
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", usageError{err}
	}
	var found []string
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() && strings.HasSuffix(name, ".json") && !strings.HasSuffix(name, runState) && !strings.HasSuffix(name, checkState) {
			found = append(found, filepath.Join(path, name))
		}
	}
	switch n := len(found); {
	case n == 0:
		return "", usageError{fmt.Errorf("the directory %s has no trace", path)}
	case n > 1:
		const most = 8
		list := strings.Join(found[:min(n, most)], "\n  ")
		if n > most {
			list += "\n  ..."
		}
		return "", usageError{fmt.Errorf("the directory %s has %s: name one\n  %s", path, wording.GroupedCount(n, "trace"), list)}
	}
	return found[0], nil
}

// compare reads the traces and compares them; without the path of a second one, the first is
// compared with its nearest passing run. The note says what else there is to know.
func (a *app) compare(ctx context.Context, one, two string) (d *render.Difference, note string, err error) {
	first, err := readTrace(one)
	if err != nil {
		return nil, "", err
	}
	if two == "" {
		return a.compareWithPassing(ctx, first, one)
	}
	second, err := readTrace(two)
	if err != nil {
		return nil, "", err
	}
	for _, t := range []struct {
		path string
		*traces.Trace
	}{{one, first}, {two, second}} {
		if t.Trouble != nil {
			return nil, "", usageError{fmt.Errorf("%s did not finish (%s): it has no events to compare", t.path, t.Trouble.Kind)}
		}
	}
	return render.Compare(render.Compared{Name: one, Trace: first}, render.Compared{Name: two, Trace: second}), "", nil
}

// compareWithPassing compares a counterexample with its nearest passing run.
func (a *app) compareWithPassing(ctx context.Context, old *traces.Trace, path string) (d *render.Difference, note string, err error) {
	if err := hunt.MayTakeAway(old); err != nil {
		return nil, "", usageError{fmt.Errorf("%s has no nearest passing run: %w; name a second trace: %s diff %s OTHER", path, err, a.name, wording.ShellPath(path))}
	}
	if old.Test != nil {
		return nil, "", usageError{fmt.Errorf("%s cannot be run here without a deviation, because only a test knows its lock; in the test's module, run\n  %s\nor name a second trace: %s diff %s OTHER",
			path, gotest.Diff(old, path), a.name, wording.ShellPath(path))}
	}
	cell, err := a.registry().Of(old)
	if err != nil {
		return nil, "", usageError{elsewhere(old, path, "run", gotest.Diff, err)}
	}
	r, err := a.replay(ctx, cell, old.Tape, 1)
	if err != nil {
		return nil, "", err
	}
	now := rerun(cell, old, r) // which has all events
	switch {
	case now.Hash == old.Hash:
	case !old.Violation().Shown(r.Violated):
		fmt.Fprintf(a.err, "simrun: %s no longer violates %s here: see %s replay %s\n", path, old.Violation().Words(), a.name, wording.ShellPath(path))
		return nil, "", exitCode(exitTrouble)
	default:
		note = fmt.Sprintf("%s was recorded with %s and is not identical here; A is its replay.", path, old.Made)
	}
	l := newLive(a.err)
	passing, err := hunt.NearestPassing(ctx, cell, a.worker, now, func(run, atMost int) {
		l.show("looking for the nearest passing run: %s of at most %s", wording.Grouped(run), wording.GroupedCount(atMost, "run"))
	})
	l.clear()
	if errors.Is(err, hunt.ErrNothingToTake) {
		return nil, "", usageError{fmt.Errorf("%s has no nearest passing run: %w; name a second trace: %s diff %s OTHER", path, err, a.name, wording.ShellPath(path))}
	}
	if err != nil {
		return nil, "", err
	}
	return passing.Compare(path, now), note, nil
}

// write writes the text, and the page if that is asked for.
func (c *diffCmd) write(a *app, d *render.Difference, note, again string) error {
	var notes []string
	if note != "" {
		notes = append(notes, note)
	}
	if c.Out == "-" {
		return d.Page(wording.Data(a.out), again, notes...)
	}
	if err := d.Text(a.out, render.Style{Color: painter(a.out).on}); err != nil {
		return err
	}
	if note != "" {
		fmt.Fprintf(a.out, "\nnote   %s\n", wording.Printable(note))
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
		return usageError{fmt.Errorf("the page cannot be written: %w", err)}
	}
	fmt.Fprintf(a.out, "\nwrote %s: both runs, one above the other; open it in a browser\n", c.Out)
	return nil
}
