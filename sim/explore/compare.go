package explore

import (
	"context"
	"encoding/json"
	"fmt"
)

// Difference is a schedule whose two runs differ.
type Difference struct {
	Schedule int
	// What describes the first event that differs.
	What string
}

// Compare runs schedules 0 to count-1 of the seed in both workers, in one of them from
// last to first, and compares the hashes. It stops after a few differences. Trouble in
// a worker, or a schedule that it did not run, is an error of type *[Trouble].
func Compare(ctx context.Context, a, b Worker, cell json.RawMessage, seed uint64, count int) ([]Difference, error) {
	q := Request{Cell: cell, Seed: seed, Count: count}
	first, err := a.all(ctx, q, nil)
	if err != nil {
		return nil, err
	}
	q.Reverse = true
	var differ []Difference
	_, err = b.all(ctx, q, func(r Result) bool {
		if one := first[r.Schedule]; one.hash != r.Hash || one.differs != "" || r.Trouble != nil {
			differ = append(differ, Difference{Schedule: r.Schedule, What: one.differs})
		}
		return len(differ) < 3
	})
	if err != nil {
		return nil, err
	}
	for i := range differ {
		if differ[i].What != "" {
			continue
		}
		if differ[i].What, err = explain(ctx, a, b, cell, seed, differ[i].Schedule); err != nil {
			return nil, err
		}
	}
	return differ, nil
}

// runHash is the outcome of a schedule; differs describes the difference of a second
// run of its finding, if there is one.
type runHash struct {
	hash    uint64
	differs string
}

// all runs the requested schedules and returns their outcomes. It stops if each, unless
// nil, returns false.
func (w Worker) all(ctx context.Context, q Request, each func(Result) bool) (map[int]runHash, error) {
	runs := map[int]runHash{}
	var trouble *Trouble
	ended := false
	err := w.Do(ctx, q, func(r Result) bool {
		o := runHash{hash: r.Hash}
		switch {
		case r.Trouble == nil:
		case r.Trouble.Kind == Nondeterministic:
			o.differs = r.Trouble.Reason
		default:
			trouble = r.Trouble
		}
		runs[r.Schedule] = o
		ended = trouble != nil || each != nil && !each(r)
		return !ended
	})
	switch {
	case err != nil:
		return nil, err
	case trouble != nil:
		return nil, trouble
	case !ended && len(runs) != q.Count:
		return nil, &Trouble{Kind: Inconclusive, Reason: fmt.Sprintf("the worker ran %d of %d schedules", len(runs), q.Count)}
	}
	return runs, nil
}

// explain records the schedule in both workers and names the first difference.
func explain(ctx context.Context, a, b Worker, cell json.RawMessage, seed uint64, schedule int) (string, error) {
	q := Request{Cell: cell, Seed: seed, First: schedule, Count: 1, Record: true}
	const attempts = 10
	var one, other Result
	for range attempts {
		one, other = Result{}, Result{}
		if err := a.Do(ctx, q, func(r Result) bool { one = r; return true }); err != nil {
			return "", err
		}
		if err := b.Do(ctx, q, func(r Result) bool { other = r; return true }); err != nil {
			return "", err
		}
		if one.Recording != nil && other.Recording != nil && one.Hash != other.Hash {
			return FirstDifference(one.Recording, other.Recording), nil
		}
	}
	what := fmt.Sprintf("the hashes differed, but %d recorded runs were alike", attempts)
	if one.Recording != nil {
		what += one.Recording.reasons()
	}
	return what, nil
}
