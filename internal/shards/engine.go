package shards

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// engine is a system that runs a command as several jobs, and gives each its number.
type engine struct {
	name string
	// index and of are the variables with the number of this job and of all jobs, and first is the first job's index.
	index, of string
	first     int
	// from, to and step are the variables of an engine whose indices are a range, empty for others.
	from, to, step string
}

// engines are those whose jobs know their number. With others, such as GitHub's matrix, the job's own command line must
// have it.
var engines = []engine{
	{name: "a Kubernetes Job with completionMode: Indexed", index: "JOB_COMPLETION_INDEX", of: "SIMRUN_SHARDS"}, // Kubernetes does not say how many completions there are
	{name: "a Slurm array", index: "SLURM_ARRAY_TASK_ID", of: "SLURM_ARRAY_TASK_COUNT", from: "SLURM_ARRAY_TASK_MIN", to: "SLURM_ARRAY_TASK_MAX", step: "SLURM_ARRAY_TASK_STEP"},
	{name: "GitLab's parallel", index: "CI_NODE_INDEX", of: "CI_NODE_TOTAL", first: 1},
	{name: "Buildkite's parallelism", index: "BUILDKITE_PARALLEL_JOB", of: "BUILDKITE_PARALLEL_JOB_COUNT"},
	{name: "CircleCI's parallelism", index: "CIRCLE_NODE_INDEX", of: "CIRCLE_NODE_TOTAL"},
	{name: "an array of AWS Batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", of: "AWS_BATCH_JOB_ARRAY_SIZE"},
}

// Variables returns the variables by which engines name the shard of a job.
func Variables() (names []string) {
	for _, e := range engines {
		names = append(names, e.index)
	}
	return names
}

// fromEngine returns the shard that the engine names for this job.
func fromEngine(env Environment) (explore.Shard, error) {
	var running []engine
	for _, e := range engines {
		if _, set := env(e.index); set {
			running = append(running, e)
		}
	}
	switch len(running) {
	case 1:
		return running[0].shard(env)
	case 0:
		return explore.Shard{}, fmt.Errorf("no engine says which shard this is: none of %s is set; want I/N, such as 2/3", strings.Join(Variables(), ", "))
	}
	return explore.Shard{}, fmt.Errorf("both %s (%s) and %s (%s) say which shard this is; want I/N, such as 2/3", running[0].name, running[0].index, running[1].name, running[1].index)
}

// shard returns the shard of the engine's job.
func (e engine) shard(env Environment) (shard explore.Shard, err error) {
	number := func(name string) (int, error) {
		value, set := env(name)
		if !set {
			return 0, fmt.Errorf("this is %s, and %s, how many shards there are, is not set", e.name, name)
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			return 0, fmt.Errorf("this is %s, and %s is %q, which is no number", e.name, name, value)
		}
		return n, nil
	}
	at, err := number(e.index)
	if err != nil {
		return shard, err
	}
	of, err := number(e.of)
	if err != nil {
		return shard, err
	}
	first, step := e.first, 1
	if e.from != "" {
		if first, err = number(e.from); err != nil {
			return shard, err
		}
		last, err := number(e.to)
		if err != nil {
			return shard, err
		}
		if step, err = number(e.step); err != nil {
			return shard, err
		}
		if step < 1 || (last-first)%step != 0 || (last-first)/step+1 != of {
			return shard, fmt.Errorf("this is %s of %d shards from %d to %d by %d, which has gaps; want a range, such as --array=1-%d", e.name, of, first, last, step, of)
		}
	}
	if (at-first)%step != 0 || at < first || (at-first)/step >= of {
		return shard, fmt.Errorf("this is %s, in which shard %d (%s) is none of %d (%s)", e.name, at, e.index, of, e.of)
	}
	return explore.Shard{Index: (at-first)/step + 1, Of: of}, nil
}
