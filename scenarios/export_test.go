package scenarios

import (
	"context"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/internal/testbinary"
	"github.com/lockpick-dev/lockpick/scenarios/redis"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// DeviationText says what a choice of a run of the cell did, and in which event that
// shows.
func DeviationText(c Cell, r *explore.Recording, choice sim.Choice) (text string, seq int64) {
	return c.deviationText(r, choice)
}

// Recorded is the cell in which Check replays a recorded case.
func Recorded(l Lock, t *traces.Trace) (Cell, error) { return (&attack{lock: l}).recorded(t) }

// Judging is what the checker is told of a cell.
func Judging(c Cell) checker.Options { return c.judging() }

// SearchWith searches one scenario with the workers given, in place of this test
// binary run again up to a call of Check: what is found, and the names that files of
// it have.
func SearchWith(ctx context.Context, w explore.Worker, scenario string, l Lock, runs int) (r *Result, names []string, err error) {
	s, err := newSettings([]Option{Runs(runs)})
	if err != nil {
		return nil, nil, err
	}
	a := &attack{settings: s, call: traces.Test{Name: "TestOfClasses", Call: 1}, lock: l, worker: w}
	under, err := Find(scenario)
	if err != nil {
		return nil, nil, err
	}
	if r, err = a.search(ctx, under); err != nil {
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
func RerunWith(ctx context.Context, w explore.Worker, l Lock, old *traces.Trace) (fails bool, says string, err error) {
	came, err := (&attack{call: traces.Test{Name: "TestOfClasses", Call: 1}, lock: l, worker: w}).rerun(ctx, old)
	switch {
	case err != nil:
		return false, "", err
	case came.fails:
		return true, came.note, nil
	}
	return false, came.gone(old), nil
}

// GoRedisTimeout is how long clients wait for an answer unless they are told how long.
var GoRedisTimeout = redis.Store.Timing().Timeout

// Lengths are how long each kind of fault may last, or be late by, in the order of
// the options, where clients wait for so long: 0 if they have set no limit.
func Lengths(p Params, timeout time.Duration) map[string][]time.Duration {
	list := map[string][]time.Duration{}
	for _, f := range faults.All {
		if f.Lasts == nil {
			continue
		}
		l := f.Lasts(p, redis.Store.Timing())
		list[f.Name] = append(list[f.Name], l.Fixed...)
		for i := range l.Timeouts.Percent {
			list[f.Name] = append(list[f.Name], l.Timeouts.Length(i, timeout))
		}
	}
	return list
}
