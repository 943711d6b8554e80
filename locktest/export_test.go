package locktest

import (
	"context"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// CellWith is a lock over a store in a scenario, as Check and Explore search it with the options.
func CellWith(subject Subject, scenario string, opts ...Option) (cell.Cell, error) {
	s, err := newSettings(opts)
	if err != nil {
		return cell.Cell{}, err
	}
	x := &session{settings: s, lock: cell.Lock{ID: "mine", Store: s.store, Subject: subject, Renews: s.renews}}
	one, err := x.registry().Scenario(scenario)
	if err != nil {
		return cell.Cell{}, err
	}
	return x.cell(one)
}

// ProgramWith says what is wrong with the options of a test of a program, nil if nothing is.
func ProgramWith(p Program, opts ...Option) error {
	_, err := newSettings(append([]Option{programmed(p)}, opts...))
	return err
}

// Recorded is the cell in which Check replays a recorded case.
func Recorded(l cell.Lock, t *traces.Trace) (cell.Cell, error) {
	return (&session{lock: l}).recorded(t)
}

// SearchWith searches one scenario with the workers given, in place of this test
// binary run again up to a call of Check: what is found, and the names that files of
// it have.
func SearchWith(ctx context.Context, w explore.Worker, scenario string, l cell.Lock, runs int) (r *Result, names []string, err error) {
	s, err := newSettings([]Option{Runs(runs)})
	if err != nil {
		return nil, nil, err
	}
	x := &session{settings: s, call: traces.Test{Name: "TestOfClasses", Call: 1}, lock: l, worker: w}
	under, err := scenarios.Find(scenario)
	if err != nil {
		return nil, nil, err
	}
	if r, err = x.hunt(ctx, under); err != nil {
		return r, nil, err
	}
	for _, f := range r.Findings {
		names = append(names, testbinary.CaseName(f.Trace))
	}
	return r, names, nil
}

// Fails reports whether a finding fails a test with these options.
func Fails(t *traces.Trace, opts ...Option) (bool, error) {
	s, err := newSettings(opts)
	return s.fails(t.Scenario, t.Violation()), err
}

// RerunWith runs a recorded case again, and says what it no longer comes to, if so,
// or else what is new about it.
func RerunWith(ctx context.Context, w explore.Worker, l cell.Lock, old *traces.Trace) (fails bool, says string, err error) {
	got, err := (&session{call: traces.Test{Name: "TestOfClasses", Call: 1}, lock: l, worker: w}).rerun(ctx, old)
	switch {
	case err != nil:
		return false, "", err
	case got.fails:
		return true, got.note, nil
	}
	return false, got.gone(old), nil
}
