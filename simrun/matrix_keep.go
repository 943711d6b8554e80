package simrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/internal/packed"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// matrixEffort is the effort for one counterexample of the matrix, which has hundreds of them.
var matrixEffort = hunt.Effort{Faults: 400, Limits: 400}

// reduce shrinks a counterexample, and determines its needs.
func (m *matrixReport) reduce(ctx context.Context, c cell.Cell, t *traces.Trace, f explore.Finding) (*traces.Trace, error) {
	r := hunt.Reducer{Worker: m.worker, Jobs: 1, Known: m.registry(), Effort: matrixEffort}
	got := r.Reduce(ctx, c, t, f, nil, explore.NewAllowance(0, 0).Share(0, false))
	return got.Trace, unlessInterrupted(errors.Join(got.NotShrunk, got.NeedsUnknown))
}

// unlessInterrupted drops errors of a context and of runs that did not finish: the finding then stays unshrunk.
func unlessInterrupted(err error) error {
	var trouble *explore.Trouble
	if errors.Is(err, context.Canceled) || errors.As(err, &trouble) {
		return nil
	}
	return err
}

// keep writes the trace, and its page if the matrix has one that links to it.
func (m *matrixReport) keep(c *matrix.Cell, t *traces.Trace) (path string, err error) {
	path = filepath.Join(m.Out, wording.FileName(c.Scenario.ID+"_"+c.Lock.ID+"_"+fileWord(t.Violation()))+".json")
	t.StillConfirmedAt(path)
	if err := traces.WriteFile(path, t); err != nil {
		return "", usageError{fmt.Errorf("a trace cannot be written: %w", err)}
	}
	if m.Page == "" {
		return path, nil
	}
	err = traces.Replace(pageOf(path), func(w io.Writer) error { return render.View(w, t, m.replayWith(t, path)) })
	if err != nil {
		return "", usageError{fmt.Errorf("the page of a trace cannot be written: %w", err)}
	}
	return path, nil
}

// keepCells writes the searches and findings beside the counterexamples, for a report.
func (m *matrixReport) keepCells() error {
	if m.Out == "" {
		return nil
	}
	stable := *m
	stable.Stable = true
	err := traces.Replace(filepath.Join(m.Out, cellsFile), func(w io.Writer) error {
		var text bytes.Buffer
		stable.json(&text)
		_, err := w.Write(packed.Seal(text.Bytes()))
		return err
	})
	if err != nil {
		return fmt.Errorf("the cells cannot be written: %w", err)
	}
	return nil
}
