package shards

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// variables are those of a job's environment, as NAME=VALUE NAME=VALUE.
func variables(list string) Environment {
	return func(name string) (string, bool) {
		for _, v := range strings.Fields(list) {
			if n, value, _ := strings.Cut(v, "="); n == name {
				return value, true
			}
		}
		return "", false
	}
}

// TestFromEngine: which shard an engine has given to a job, or what is wrong with what it says.
func TestFromEngine(t *testing.T) {
	for env, want := range map[string]string{ // unordered: each by itself
		"JOB_COMPLETION_INDEX=0 SIMRUN_SHARDS=8": "1/8",
		"JOB_COMPLETION_INDEX=7 SIMRUN_SHARDS=8": "8/8",
		"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=4 SLURM_ARRAY_TASK_STEP=1": "3/4",
		"SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=6 SLURM_ARRAY_TASK_STEP=2": "1/4",
		"SLURM_ARRAY_TASK_ID=6 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=6 SLURM_ARRAY_TASK_STEP=2": "4/4",
		"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=1": "has gaps",
		"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=6 SLURM_ARRAY_TASK_STEP=2": "shard 3 (SLURM_ARRAY_TASK_ID) is none of 4",
		"CI_NODE_INDEX=1 CI_NODE_TOTAL=5":                                        "1/5",
		"CI_NODE_INDEX=5 CI_NODE_TOTAL=5":                                        "5/5",
		"CI_NODE_INDEX=0 CI_NODE_TOTAL=5":                                        "shard 0 (CI_NODE_INDEX) is none of 5",
		"CI_NODE_TOTAL=5":                                                        "no engine",
		"BUILDKITE_PARALLEL_JOB=2 BUILDKITE_PARALLEL_JOB_COUNT=3":                "3/3",
		"CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=1":                                "1/1",
		"AWS_BATCH_JOB_ARRAY_INDEX=9 AWS_BATCH_JOB_ARRAY_SIZE=9":                 "shard 9 (AWS_BATCH_JOB_ARRAY_INDEX) is none of 9",
		"JOB_COMPLETION_INDEX=0":                                                 "SIMRUN_SHARDS, how many shards there are, is not set",
		"JOB_COMPLETION_INDEX=0 SIMRUN_SHARDS=many":                              `SIMRUN_SHARDS is "many", which is no number`,
		"JOB_COMPLETION_INDEX=-1 SIMRUN_SHARDS=8":                                "shard -1 (JOB_COMPLETION_INDEX) is none of 8",
		"JOB_COMPLETION_INDEX=0 SIMRUN_SHARDS=8 CI_NODE_INDEX=1 CI_NODE_TOTAL=5": "both a Kubernetes Job",
		"": "none of JOB_COMPLETION_INDEX, SLURM_ARRAY_TASK_ID, CI_NODE_INDEX, BUILDKITE_PARALLEL_JOB, CIRCLE_NODE_INDEX, AWS_BATCH_JOB_ARRAY_INDEX is set",
	} {
		shard, err := Asked(FromEngine, variables(env))
		got := shard.String()
		if err != nil {
			got = err.Error()
		}
		if strings.Contains(want, "/") && got != want || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", env, got, want)
		}
	}
}

// TestAsked: a shard by its number, and what is none.
func TestAsked(t *testing.T) {
	for flag, want := range map[string]explore.Shard{"": {}, "1/1": {Index: 1, Of: 1}, "2/3": {Index: 2, Of: 3}, "8/8": {Index: 8, Of: 8}} {
		if got, err := Asked(flag, variables("")); got != want || err != nil {
			t.Errorf("%q: %v, %v", flag, got, err)
		}
	}
	for _, flag := range []string{"9/8", "0/3", "-1/3", "1/0", "1", "/", "a/b", "1/2/3", " 1/2", "Auto", "1/99999999999999999999"} {
		if got, err := Asked(flag, variables("")); err == nil || err.Error() != "want I/N with I from 1 to N, such as 2/3, or auto" {
			t.Errorf("%q: %v, %v", flag, got, err)
		}
	}
}
