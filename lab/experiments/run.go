package experiments

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Job is one run: a variant with a seed. A worker process gets it as the cell of an [explore.Request], whose seed is that
// of the run.
type Job struct {
	Experiment string `json:"experiment"`
	Values     Values `json:"values"`
	Variant    int    `json:"variant"`
	// Until is when the run is cut, 0 if only the plan determines that.
	Until time.Duration `json:"until,omitempty"`
}

// JobOf returns the job that a cell is, nil if the cell is something else.
func JobOf(cell json.RawMessage) *Job {
	var j Job
	if json.Unmarshal(cell, &j) != nil || j.Experiment == "" {
		return nil
	}
	return &j
}

// Encode encodes the job for a worker.
func (j Job) Encode() json.RawMessage {
	raw, err := json.Marshal(j)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return raw
}

// Request returns the request for the run with a seed.
func (j Job) Request(seed uint64) explore.Request {
	return explore.Request{Cell: j.Encode(), Seed: seed, Count: 1, Lean: true}
}

// Resolve finds the experiment and the variant of the job, with the locks of the program.
func (j Job) Resolve(locks []cell.Lock) (*Experiment, Variant, error) {
	e, err := Find(j.Experiment)
	if err != nil {
		return nil, Variant{}, err
	}
	variants, err := e.Variants(j.Values, locks)
	if err != nil {
		return nil, Variant{}, err
	}
	if j.Variant < 0 || j.Variant >= len(variants) {
		return nil, Variant{}, fmt.Errorf("the experiment %s has no variant %d", e.ID, j.Variant)
	}
	v := variants[j.Variant]
	if j.Until > 0 {
		v.Plan.Limit = min(cmp.Or(v.Plan.Until, v.Plan.Limit), j.Until)
		if v.Plan.Until > 0 {
			v.Plan.Until = v.Plan.Limit
		}
	}
	return e, v, nil
}

// Runner returns the function with which a worker runs the job. The sample is the extra of its outcomes.
func (j Job) Runner(locks []cell.Lock) (explore.Runner, error) {
	_, v, err := j.Resolve(locks)
	if err != nil {
		return nil, err
	}
	return func(how explore.Run) explore.Outcome {
		s, o := v.Plan.Explore(how)
		raw, err := json.Marshal(s)
		if err != nil {
			panic(err) // numbers that are no NaN
		}
		o.Extra = raw
		return o
	}, nil
}

// Here runs all variants with seeds from first on, one run after another in this process. Programs use [Spread]; this is
// for tests.
func Here(ctx context.Context, e *Experiment, v Values, locks []cell.Lock, first uint64, seeds int) (Results, error) {
	variants, err := e.Variants(v, locks)
	if err != nil {
		return Results{}, err
	}
	samples, err := here(ctx, variants, first, seeds)
	if err != nil {
		return Results{}, err
	}
	return Results{Experiment: e, Values: v, Variants: variants, Samples: samples}, nil
}

// here runs variants, one run after another.
func here(ctx context.Context, variants []Variant, first uint64, seeds int) ([][]*lab.Sample, error) {
	Quiet()
	samples := make([][]*lab.Sample, len(variants))
	for i := range variants {
		for n := range seeds {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			s, _, err := lab.Run(variants[i].Plan, lab.Tape(first+uint64(n)), false)
			if err != nil {
				return nil, fmt.Errorf("%s, seed %d: %w", variants[i].Name, first+uint64(n), err)
			}
			samples[i] = append(samples[i], s)
		}
	}
	return samples, nil
}

func newResults(e *Experiment, v Values, variants []Variant, seeds int) Results {
	r := Results{Experiment: e, Values: v, Variants: variants}
	for range variants {
		r.Samples = append(r.Samples, make([]*lab.Sample, seeds))
	}
	return r
}

// VariantNamed returns the index of a variant with a name.
func VariantNamed(variants []Variant, name string) (int, error) {
	i := slices.IndexFunc(variants, func(v Variant) bool { return v.Name == name })
	if i < 0 {
		var names []string
		for _, v := range variants {
			names = append(names, v.Name)
		}
		if near := wording.Nearest(name, names); near != "" {
			return 0, fmt.Errorf("there is no variant %q; did you mean %q? There are %s", name, near, quoted(variants))
		}
		return 0, fmt.Errorf("there is no variant %q; there are %s", name, quoted(variants))
	}
	return i, nil
}

func quoted(variants []Variant) string {
	var names []string
	for _, v := range variants {
		names = append(names, strconv.Quote(v.Name))
	}
	return strings.Join(names, ", ")
}
