package arms

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// lockpick is Lockpick: it searches the scenarios one after the other, as locktest.Check does. What it finds is confirmed in a
// second process. It is not shrunk or explained, which comes later and takes longer than finding it.
type lockpick struct {
	id, name, about string
	// schedules is the number of schedules of a scenario, and time the processor time of all, 0 for no limit.
	schedules int
	time      time.Duration
}

// The budgets of package locktest, which a program cannot import without its flags. A test compares them.
const (
	defaultRuns = 2000
	shortRuns   = 200
	shortTime   = 25 * time.Second
)

// workers is the number of worker processes.
const workers = 2

// ID is its letter.
func (l *lockpick) ID() string { return l.id }

// Name is its name.
func (l *lockpick) Name() string { return l.name }

// About describes it.
func (l *lockpick) About() string { return l.about }

// Waits is false: it uses all processors that it has.
func (*lockpick) Waits() bool { return false }

// found is what a replay needs.
type found struct {
	cell cell.Cell
	tape []sim.Choice
}

// Try searches each scenario until the property is violated.
func (l *lockpick) Try(ctx context.Context, j *trial.Job) (o trial.Outcome, err error) {
	o.Unit = "schedules"
	worker, err := j.Worker()
	if err != nil {
		return o, err
	}
	worker.Kept, worker.Meter = &explore.Kept{}, &explore.Meter{}
	defer worker.Kept.Close()
	cells, err := j.Cells()
	if err != nil {
		return o, err
	}
	for i, c := range cells {
		search := explore.Search{
			Worker: worker, Cell: c.Encode(), Strategy: explore.PortfolioStrategy, Seed: j.Seed, Schedules: l.schedules, Jobs: workers, Impatient: true,
			Happenings: len(c.Happenings()), Time: l.share(worker.Meter.Spent(), len(cells), i),
		}
		search.OnFinding = func(f explore.Finding) {
			if o.Found || f.Property != j.Property || f.Outcome.Recording == nil {
				return
			}
			if v := j.Shown(&f.Outcome.Recording.History, f.Outcome.Verdicts); v != nil {
				o.Found, o.Seconds, o.Sentence = true, j.Since(), v.Sentence
				o.Where = fmt.Sprintf("%s, schedule %d", c.Scenario.ID, f.Schedule)
				o.Keep(found{c, f.Tape})
			}
		}
		search.Enough = func(*explore.Summary) bool { return o.Found }
		sum, err := search.Run(ctx)
		o.Tried += sum.Schedules
		switch {
		case o.Found:
			return o, nil
		case err != nil:
			return o, err
		case len(sum.Troubles) > 0:
			o.Error = fmt.Sprintf("%s: %s", c.Scenario.ID, sum.Troubles[0].Reason)
		}
	}
	o.Done = true
	return o, nil
}

// share returns the processor time of the search of the i-th of n scenarios, 0 for no limit: as in package locktest, two thirds
// of an equal share of the whole, what earlier searches have left, and all but half a share of each later scenario.
func (l *lockpick) share(spent time.Duration, n, i int) time.Duration {
	if l.time == 0 {
		return 0
	}
	one := l.time / time.Duration(max(n, 1))
	left := l.time - spent - one/2*time.Duration(n-i-1)
	return max(left, one*2/3/4)
}

// Replay replays the tape in new processes.
func (l *lockpick) Replay(ctx context.Context, j *trial.Job, o *trial.Outcome, n int) error {
	what, is := o.Kept().(found)
	if !is {
		return errors.New("there is nothing to replay")
	}
	worker, err := j.Worker()
	if err != nil {
		return err
	}
	for range n {
		r, err := worker.Replay(ctx, what.cell.Encode(), what.tape)
		if err != nil {
			return err
		}
		o.Replays++
		if r.Violates(j.Property) {
			o.Shown++
		}
	}
	return nil
}
