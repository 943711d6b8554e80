package experiments

import (
	"context"
	"fmt"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/lab"
)

// Job is one run: a variant with a seed. It is what a worker process gets.
type Job struct {
	Experiment string `json:"experiment"`
	Values     Values `json:"values"`
	Variant    int    `json:"variant"`
	Seed       uint64 `json:"seed"`
}

// Do runs a job, with the locks that the program has.
func (j Job) Do(locks []scenarios.Lock) (*lab.Sample, error) {
	e, err := Find(j.Experiment)
	if err != nil {
		return nil, err
	}
	variants, err := e.Variants(j.Values, locks)
	if err != nil {
		return nil, err
	}
	if j.Variant < 0 || j.Variant >= len(variants) {
		return nil, fmt.Errorf("the experiment %s has no variant %d", e.ID, j.Variant)
	}
	s, _, err := lab.Run(variants[j.Variant].Plan, lab.Tape(j.Seed), false)
	return s, err
}

// Here runs all variants with the seeds from the first on, one run after another in this
// process. Programs use worker processes; this is for tests.
func Here(ctx context.Context, e *Experiment, v Values, locks []scenarios.Lock, first uint64, seeds int) (Results, error) {
	variants, err := e.Variants(v, locks)
	if err != nil {
		return Results{}, err
	}
	r := Results{Experiment: e, Values: v, Variants: variants, Samples: make([][]*lab.Sample, len(variants))}
	for i := range variants {
		for n := range seeds {
			if err := ctx.Err(); err != nil {
				return Results{}, err
			}
			s, _, err := lab.Run(variants[i].Plan, lab.Tape(first+uint64(n)), false)
			if err != nil {
				return Results{}, fmt.Errorf("%s, seed %d: %w", variants[i].Name, first+uint64(n), err)
			}
			r.Samples[i] = append(r.Samples[i], s)
		}
	}
	return r, nil
}
