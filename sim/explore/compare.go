package explore

import (
	"context"
	"encoding/json"
	"fmt"
)

// Difference is a schedule that did not come out the same twice.
type Difference struct {
	Schedule int
	// What names the first event that differs.
	What string
}

// Compare runs schedules 0 to count-1 of the seed in both workers, in one of
// them from last to first, and compares the hashes. It stops after a handful
// of differences. Trouble in a worker is an error of type *[Trouble].
func Compare(ctx context.Context, a, b Worker, cell json.RawMessage, seed uint64, count int) ([]Difference, error) {
	hashes := make([]uint64, count)
	err := a.Do(ctx, Request{Cell: cell, Seed: seed, Count: count}, func(r Result) bool {
		hashes[r.Schedule] = r.Hash
		return true
	})
	if err != nil {
		return nil, err
	}
	var differ []Difference
	err = b.Do(ctx, Request{Cell: cell, Seed: seed, Count: count, Reverse: true}, func(r Result) bool {
		if hashes[r.Schedule] != r.Hash {
			differ = append(differ, Difference{Schedule: r.Schedule})
		}
		return len(differ) < 3
	})
	if err != nil {
		return nil, err
	}
	for i := range differ {
		if differ[i].What, err = explain(ctx, a, b, cell, seed, differ[i].Schedule); err != nil {
			return nil, err
		}
	}
	return differ, nil
}

// explain records the schedule in both workers and names the first difference.
func explain(ctx context.Context, a, b Worker, cell json.RawMessage, seed uint64, schedule int) (string, error) {
	q := Request{Cell: cell, Seed: seed, First: schedule, Count: 1, Record: true}
	const attempts = 3
	for range attempts {
		var one, other Result
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
	return fmt.Sprintf("the hashes differed, but %d recorded runs were alike", attempts), nil
}
