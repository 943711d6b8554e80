package simrun

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// fromEngine is the shard that asks the engine which runs the command.
const fromEngine = "auto"

// engine is a system that runs a command as several jobs, and tells each which one it is.
type engine struct {
	name string
	// index and of are the variables that say which job of how many this is, and first is the first one's index.
	index, of string
	first     int
	// from, to and step are those of an engine whose indices are a range, empty if they are not.
	from, to, step string
}

// engines are those whose jobs know their number. With others, --shard has it from the job's own text: GitHub's matrix is such.
var engines = []engine{
	{name: "a Kubernetes Job with completionMode: Indexed", index: "JOB_COMPLETION_INDEX", of: "SIMRUN_SHARDS"}, // Kubernetes does not tell the completions
	{name: "a Slurm array", index: "SLURM_ARRAY_TASK_ID", of: "SLURM_ARRAY_TASK_COUNT", from: "SLURM_ARRAY_TASK_MIN", to: "SLURM_ARRAY_TASK_MAX", step: "SLURM_ARRAY_TASK_STEP"},
	{name: "GitLab's parallel", index: "CI_NODE_INDEX", of: "CI_NODE_TOTAL", first: 1},
	{name: "Buildkite's parallelism", index: "BUILDKITE_PARALLEL_JOB", of: "BUILDKITE_PARALLEL_JOB_COUNT"},
	{name: "CircleCI's parallelism", index: "CIRCLE_NODE_INDEX", of: "CIRCLE_NODE_TOTAL"},
	{name: "an array of AWS Batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", of: "AWS_BATCH_JOB_ARRAY_SIZE"},
}

// environment looks a variable up, as os.LookupEnv does.
type environment func(name string) (value string, set bool)

// askedShard is the shard of a flag: I/N, or what the engine says.
func askedShard(flag string, env environment) (explore.Shard, error) {
	if flag == fromEngine {
		var err error
		if flag, err = shardFrom(env); err != nil {
			return explore.Shard{}, err
		}
	}
	return parseShard(flag)
}

// parseShard reads I/N. One of one is all.
func parseShard(s string) (shard explore.Shard, err error) {
	if s == "" {
		return shard, nil
	}
	index, of, ok := strings.Cut(s, "/")
	i, errI := strconv.Atoi(index)
	n, errN := strconv.Atoi(of)
	if !ok || errI != nil || errN != nil || i < 1 || i > n {
		return shard, fmt.Errorf("--shard=%s: want I/N with I from 1 to N, such as 2/3, or %s", s, fromEngine)
	}
	if n == 1 {
		return shard, nil
	}
	return explore.Shard{Index: i, Of: n}, nil
}

// shardFrom is the shard, as I/N, that the engine has for this job.
func shardFrom(env environment) (string, error) {
	var running []engine
	var variables []string
	for _, e := range engines {
		variables = append(variables, e.index)
		if _, set := env(e.index); set {
			running = append(running, e)
		}
	}
	switch len(running) {
	case 1:
		return running[0].shard(env)
	case 0:
		return "", fmt.Errorf("--shard=%s: no engine says which shard this is: none of %s is set; want I/N, such as 2/3", fromEngine, strings.Join(variables, ", "))
	}
	return "", fmt.Errorf("--shard=%s: both %s (%s) and %s (%s) say which shard this is; want I/N, such as 2/3", fromEngine, running[0].name, running[0].index, running[1].name, running[1].index)
}

// shard is the engine's job as I/N.
func (e engine) shard(env environment) (string, error) {
	number := func(name string) (int, error) {
		value, set := env(name)
		if !set {
			return 0, fmt.Errorf("--shard=%s: this is %s, and %s, how many shards there are, is not set", fromEngine, e.name, name)
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			return 0, fmt.Errorf("--shard=%s: this is %s, and %s is %q, which is no number", fromEngine, e.name, name, value)
		}
		return n, nil
	}
	at, err := number(e.index)
	if err != nil {
		return "", err
	}
	of, err := number(e.of)
	if err != nil {
		return "", err
	}
	first, step := e.first, 1
	if e.from != "" {
		if first, err = number(e.from); err != nil {
			return "", err
		}
		last, err := number(e.to)
		if err != nil {
			return "", err
		}
		if step, err = number(e.step); err != nil {
			return "", err
		}
		if step < 1 || (last-first)%step != 0 || (last-first)/step+1 != of {
			return "", fmt.Errorf("--shard=%s: this is %s of %d shards from %d to %d by %d, which has gaps; want a range, such as --array=1-%d", fromEngine, e.name, of, first, last, step, of)
		}
	}
	if (at-first)%step != 0 || at < first || (at-first)/step >= of {
		return "", fmt.Errorf("--shard=%s: this is %s, in which shard %d (%s) is none of %d (%s)", fromEngine, e.name, at, e.index, of, e.of)
	}
	return fmt.Sprintf("%d/%d", (at-first)/step+1, of), nil
}
