package simrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// variables are those of a job's environment, as NAME=VALUE NAME=VALUE.
func variables(list string) environment {
	return func(name string) (string, bool) {
		for _, v := range strings.Fields(list) {
			if n, value, _ := strings.Cut(v, "="); n == name {
				return value, true
			}
		}
		return "", false
	}
}

// TestShardFrom: which shard an engine has given to a job, or what is wrong with what it says.
func TestShardFrom(t *testing.T) {
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
		got, err := shardFrom(variables(env))
		if err != nil {
			got = err.Error()
		}
		if strings.Contains(want, "/") && got != want || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", env, got, want)
		}
	}
}

// TestShardAuto: a job of an engine leaves what a job that names its shard does; and repeated, it goes on where its machine was
// taken away.
func TestShardAuto(t *testing.T) {
	for _, e := range engines { // the machine of this test may be one of an engine
		for _, name := range []string{e.index, e.of} {
			t.Setenv(name, "") // restored at the end
			_ = os.Unsetenv(name)
		}
	}
	search := []string{"run", "two-step-release", "--lock", "setpx-twostep", "--runs", "1024", "--no-shrink", "--stable"}
	named, auto := t.TempDir(), t.TempDir()
	_, want, _ := simrun(t, append(search, "--shard", "2/3", "--out", named)...)
	if code, _, errs := simrun(t, append(search, "--shard", "auto", "--out", auto)...); code != exitUsage || !strings.Contains(errs, "no engine says") {
		t.Errorf("without an engine: exit code %d\n%s", code, errs)
	}
	t.Setenv("JOB_COMPLETION_INDEX", "1")
	t.Setenv("SIMRUN_SHARDS", "3")
	here := append(slices.Clone(search), "--shard=auto", "--resume=auto", "--out", auto)
	for _, when := range []string{"anew", "resumed"} {
		_, got, errs := simrun(t, here...)
		if got = strings.ReplaceAll(got, auto, named); got != want || errs != "" {
			t.Errorf("%s: %s\n%s\nwant\n%s", when, errs, got, want)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(auto, "*_2of3"+runState)); len(files) != 1 {
		t.Errorf("states %v", files)
	}
	if code, _, errs := simrun(t, append(search, "--shard=3/3", "--resume", "--out", auto)...); code != exitUsage || !strings.Contains(errs, "nothing to resume") {
		t.Errorf("--resume without a state: exit code %d\n%s", code, errs)
	}
	if code, _, errs := simrun(t, append(search, "--resume=perhaps", "--out", auto)...); code != exitUsage || !strings.Contains(errs, "--resume=auto") {
		t.Errorf("--resume=perhaps: exit code %d\n%s", code, errs)
	}
}
