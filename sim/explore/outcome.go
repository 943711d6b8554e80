package explore

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Outcome is what one run came to.
type Outcome struct {
	// Verdicts on every property that was judged; none if the run failed.
	Verdicts []model.Verdict
	// Happened is a bit set over whatever the runner watches for.
	Happened uint64
	// Hash covers events, history and verdicts: equal hashes, equal runs.
	Hash uint64
	// Events is how many events there were, and Simulated how much virtual
	// time they took.
	Events    int64
	Simulated time.Duration
	// Failure is set if code of the run panicked or left goroutines behind.
	Failure *sim.Failure
	// Recording is set if it was asked for.
	Recording *Recording
}

// Recording is everything that a trace needs.
type Recording struct {
	Events  []sim.Event
	Choices []sim.Choice
	History model.History
}

// Violated lists the properties that were violated.
func (o *Outcome) Violated() []string {
	var ids []string
	for i := range o.Verdicts {
		if o.Verdicts[i].Status == model.Violated {
			ids = append(ids, o.Verdicts[i].Property)
		}
	}
	return ids
}
