package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// matrixShrinking is how many runs a counterexample may take at most to be made
// smaller: there are hundreds of them.
const matrixShrinking = 400

// reduce makes a counterexample smaller, and asks what it needs.
func (m *matrixReport) reduce(ctx context.Context, c scenarios.Cell, t *traces.Trace, f explore.Finding) (*traces.Trace, error) {
	r := reducer{app: m.app, jobs: 1, show: func(string, ...any) {}}
	share := explore.NewAllowance(0, 0).Share(false)
	small, err := r.shrink(ctx, explore.Shrink{
		Cell: c.Encode(), Property: f.Property, Limit: f.Limit, Budget: matrixShrinking, Events: explore.ToShrink(share),
	}, f.Tape)
	if err != nil {
		return t, unlessInterrupted(err)
	}
	small.Before = explore.CountDeviations(f.Tape)
	s, err := r.trace(c, t, small)
	if err != nil {
		return t, err
	}
	smaller, err := scenarios.CellOf(s, m.locks)
	if err != nil {
		return t, err
	}
	s.Attribution, err = smaller.Attribute(ctx, scenarios.AttributeOptions{
		Worker: m.worker, NoRemedies: true, Property: s.Property, Tape: small.Tape, Outcome: small.Outcome, Seed: s.Seed, Jobs: 1,
		Events: max(share-small.Events, 1),
	})
	return s, unlessInterrupted(err)
}

// unlessInterrupted is the error, none if it is that of a context: what was found
// stands as it is. A run that comes to no proper end is no reason either to lose
// the rest.
func unlessInterrupted(err error) error {
	var trouble *explore.Trouble
	if errors.Is(err, context.Canceled) || errors.As(err, &trouble) {
		return nil
	}
	return err
}

// keep writes the trace, and its page if there is a page that leads there.
func (m *matrixReport) keep(c *matrix.Cell, t *traces.Trace) (path string, err error) {
	path = filepath.Join(m.Out, c.Scenario.ID+"_"+c.Lock.ID+"_"+fileWord(t.Violation())+".json")
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

// pageOf is where the page of a trace goes.
func pageOf(trace string) string { return strings.TrimSuffix(trace, filepath.Ext(trace)) + ".html" }
