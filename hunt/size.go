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
	// Took is how long it takes one worker, in real time; it differs from run to run.
	Took time.Duration
}

// manyTimes is how many times as large as with the scenario's own parameters a run must be
// before its size is worth an estimate, which takes a run.
const manyTimes = 8

// EstimateSize estimates the size of the cell's runs. It makes a calm run with one round
// and counts it once for each round. It is zero if the parameters make runs hardly larger
// than the scenario's own do, or if that run does not finish. An error concerns the worker
// or the context.
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

// effort is how many events a run of a size has, up to a factor: while one client has the
// lock, all others ask for it.
func effort(p cell.Params) int {
	asking := p.Clients * p.ThreadCount()
	return asking * asking * p.Rounds * p.ServerCount()
}
