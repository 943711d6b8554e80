package hunt

import (
	"errors"
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// sampleSize is the maximum number of schedules that run twice before the search. Findings always run twice; without the
// sample a lock without findings would not be checked for determinism.
const sampleSize = 12

// sample runs a few schedules twice, in different processes. It returns how they differ, or the trouble if one stalls:
// each such run takes seconds, so the trouble is the result, without a search. Crashes are left to the search.
//
// In a search in shards, the first shard makes the sample, since it has the first block, and keeps its result in its state
// with that block. So a search that resumes after its first block, and one that merges states, need none.
func (r *running) sample() (*explore.Trouble, error) {
	if r.KnownOnly || !r.Shard.Has(0) || !r.Range.Has(0) || r.begun() {
		return nil, nil
	}
	one, two := r.Reducer.Worker, r.Reducer.Worker
	one.Procs, two.Procs = 1, 2
	size := sampleSize
	if r.Strategy != "" {
		size = min(size, r.Schedules)
	}
	differ, err := explore.Compare(r.ctx, one, two, r.Cell.Encode(), r.Seed, size)
	var trouble *explore.Trouble
	switch {
	case errors.As(err, &trouble):
		if trouble.Kind == explore.Crashed || len(trouble.Tape) == 0 {
			return nil, nil
		}
		return trouble, nil
	case err != nil || len(differ) == 0:
		return nil, err
	}
	d, err := r.again(differ, one, size)
	if err != nil || d == nil {
		return nil, err
	}
	return &explore.Trouble{
		Kind: explore.Nondeterministic, Schedule: d.Schedule, Reason: "two runs of the same tape differ: " + d.What, Tape: r.tapeOf(d.Schedule),
	}, nil
}

// again compares the schedules once more, in other processes, and returns the first that differs again, nil if none does.
// A single difference is an accident of the machine, such as a stack that grew, which the user cannot influence.
func (r *running) again(differ []explore.Difference, w explore.Worker, size int) (*explore.Difference, error) {
	second, err := explore.Compare(r.ctx, w, w, r.Cell.Encode(), r.Seed, size)
	var trouble *explore.Trouble
	if errors.As(err, &trouble) {
		return &differ[0], nil
	}
	for i, d := range differ {
		if slices.ContainsFunc(second, func(o explore.Difference) bool { return o.Schedule == d.Schedule }) {
			return &differ[i], err
		}
	}
	return nil, err
}

// begun reports whether the first part of the search is known.
func (r *running) begun() bool {
	if r.State == nil {
		return false
	}
	_, block := r.State.Blocks[0]
	return block || slices.ContainsFunc(r.State.Parts, func(p explore.CheckPart) bool { return p.Bound == 0 && p.Part == 0 })
}

// tapeOf returns the tape of a random schedule, nil if its run does not finish.
func (r *running) tapeOf(schedule int) (tape []sim.Choice) {
	q := explore.Request{Cell: r.Cell.Encode(), Seed: r.Seed, First: schedule, Count: 1, Record: true}
	_ = r.Reducer.Worker.Do(r.ctx, q, func(got explore.Result) bool { // without a tape the trouble only has no replay
		if got.Recording != nil {
			tape = got.Recording.Choices
		}
		return false
	})
	return tape
}

// addSampled adds the difference that the sample showed to a tally, unless the search met one as well.
func (r *running) addSampled(t *explore.Tally) {
	if r.sampled == nil || slices.ContainsFunc(t.Troubles, func(o explore.Trouble) bool { return o.Kind == r.sampled.Kind }) {
		return
	}
	t.Troubles = append([]explore.Trouble{*r.sampled}, t.Troubles...)
}
