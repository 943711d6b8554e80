package hunt

import (
	"context"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Size is the approximate size of a run of a cell.
type Size struct {
	Events int64
	// Took is its duration on one worker, in real time; it differs from run to run.
	Took time.Duration
}

// manyTimes is the size of a run, relative to one with the scenario's own parameters, from which an estimate is worth the
// run that it takes.
const manyTimes = 8

// EstimateSize estimates the size of the cell's runs. It makes a calm run with one round and multiplies by the number of
// rounds. The size is zero if the parameters make runs hardly larger than the scenario's own do, or if that run does not
// finish. The error is one of the worker or of the context.
func EstimateSize(ctx context.Context, c cell.Cell, w explore.Worker) (Size, error) {
	if effort(c.Params) < manyTimes*effort(c.Scenario.Params) {
		return Size{}, nil
	}
	rounds, most := c.Params.Rounds, c.Params.Events
	c.Params.Rounds = 1
	h := explore.Hand{Worker: w}
	defer h.Close()
	var size Size
	start := time.Now()
	err := h.Do(ctx, explore.Request{Cell: c.Encode(), Replay: true, Lenient: true}, func(r explore.Result) bool {
		if r.Trouble == nil {
			size = Size{Events: r.Events * int64(rounds), Took: time.Since(start) * time.Duration(rounds)}
		}
		return true
	})
	if n := int64(most); n > 0 && size.Events > n {
		size.Took = size.Took * time.Duration(n) / time.Duration(size.Events)
		size.Events = n
	}
	return size, err
}

// effort estimates the number of events of a run, up to a factor: while one client has the lock, all others ask for it.
func effort(p cell.Params) int {
	asking := p.Clients * p.ThreadCount()
	return asking * asking * p.Rounds * p.ServerCount()
}
