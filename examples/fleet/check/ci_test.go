package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rhysd/actionlint"
	"sigs.k8s.io/yaml"
)

// small is a search of eight blocks: 1,024 schedules of each of two scenarios.
var small = []string{"SIMRUN_RUNS=1024", "TEST=^TestMyLock$/^(gc-pause|cancel)$", "PACKAGE=./mylock"}

// pipeline is what a file of continuous integration runs.
type pipeline struct {
	search, merge []string
	// shards are the variables of each shard's job.
	shards [][]string
}

// workspace is what a job checks out.
func workspace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "mylock"), os.DirFS("../mylock")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// onePage is the report that one machine writes.
func onePage(t *testing.T) string {
	t.Helper()
	page.Do(func() {
		dir := workspace(t)
		page.code, page.out = run(t, dir, `go test -v -timeout 0 -run "$TEST" "$PACKAGE" -simrun.report="$PWD/report.html"`, small...)
		text, _ := os.ReadFile(filepath.Join(dir, "report.html"))
		page.text = string(text)
	})
	if page.code != 0 || page.text == "" {
		t.Fatalf("one machine: exit code %d\n%s", page.code, page.out)
	}
	return page.text
}

var page struct {
	sync.Once
	code      int
	out, text string
}

// runs each job in a checkout of its own, hands on what the engine hands on, and compares the merge's report with that of one machine.
func (p *pipeline) run(t *testing.T) {
	t.Helper()
	want := onePage(t)
	merge := workspace(t)
	for i, env := range p.shards {
		dir := workspace(t)
		if code, out := run(t, dir, strings.Join(p.search, "\n"), append(small, env...)...); code != 0 {
			t.Errorf("shard %d: exit code %d\n%s", i+1, code, out)
		}
		if err := os.CopyFS(filepath.Join(merge, "artifacts"), os.DirFS(dir+"/simrun-out")); err != nil {
			t.Errorf("shard %d has left nothing, or what another has: %v", i+1, err)
		}
	}
	artifacts := t.TempDir()
	if err := os.Rename(filepath.Join(merge, "artifacts"), filepath.Join(artifacts, "simrun-out")); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.merge[0], "buildkite-agent") { // which asks for them itself
		if err := os.Rename(filepath.Join(artifacts, "simrun-out"), filepath.Join(merge, "simrun-out")); err != nil {
			t.Fatal(err)
		}
	}
	code, out := run(t, merge, strings.Join(p.merge, "\n"), append(small, "ARTIFACTS="+artifacts)...)
	got, err := os.ReadFile(filepath.Join(merge, "report.html"))
	if code != 0 || err != nil || string(got) != want {
		t.Errorf("the merge: exit code %d, %v, and its report has %d bytes, want the %d of one machine\n%s", code, err, len(got), len(want), out)
	}
}

// read reads a file of an engine. What is asked of it here must be there.
func read(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// numbered are the variables of n shards that an engine sets.
func numbered(n, first int, index, of string) (shards [][]string) {
	for i := range n {
		shards = append(shards, []string{fmt.Sprintf("%s=%d", index, first+i), fmt.Sprintf("%s=%d", of, n)})
	}
	return shards
}

// TestGitHubActions: actionlint finds nothing in the workflow, and what it runs comes to what one machine finds.
func TestGitHubActions(t *testing.T) {
	const path = "../github-actions/lockpick.yml"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lint, err := actionlint.NewLinter(os.Stderr, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := lint.Lint(path, text, nil)
	if err != nil || len(wrong) > 0 {
		t.Errorf("actionlint: %v, %v", wrong, err)
	}
	var file struct {
		Jobs map[string]struct {
			Strategy struct{ Matrix struct{ Shard []int } }
			Needs    string
			Steps    []struct{ Run string }
		}
	}
	read(t, path, &file)
	var p pipeline
	commands := func(job string) (list []string) {
		for _, s := range file.Jobs[job].Steps {
			if s.Run != "" {
				list = append(list, s.Run)
			}
		}
		return list
	}
	if file.Jobs["merge"].Needs != "search" {
		t.Error("merge does not wait for search")
	}
	p.search, p.merge = commands("search"), commands("merge")
	shards := file.Jobs["search"].Strategy.Matrix.Shard
	if !strings.Contains(p.search[0], fmt.Sprintf("-simrun.shard=${{ matrix.shard }}/%d,", len(shards))) {
		t.Errorf("the matrix has %d shards, and the command is %s", len(shards), p.search[0])
	}
	p.search[0] = strings.ReplaceAll(p.search[0], "${{ matrix.shard }}", "$MATRIX_SHARD")
	for _, s := range shards {
		p.shards = append(p.shards, []string{fmt.Sprintf("MATRIX_SHARD=%d", s)})
	}
	p.run(t)
}

// TestGitLab: what the file runs comes to what one machine finds.
func TestGitLab(t *testing.T) {
	type job struct {
		Stage    string
		Parallel int
		Script   []string
	}
	var file struct {
		Stages        []string
		Search, Merge job
	}
	read(t, "../gitlab/gitlab-ci.yml", &file)
	if strings.Join(file.Stages, " ") != file.Search.Stage+" "+file.Merge.Stage {
		t.Errorf("the stages are %v", file.Stages)
	}
	p := pipeline{search: file.Search.Script, merge: file.Merge.Script, shards: numbered(file.Search.Parallel, 1, "CI_NODE_INDEX", "CI_NODE_TOTAL")}
	p.run(t)
}

// TestBuildkite: what the pipeline runs comes to what one machine finds.
func TestBuildkite(t *testing.T) {
	var file struct {
		Steps []struct {
			Key         string
			DependsOn   string `json:"depends_on"`
			Parallelism int
			Command     any
		}
	}
	read(t, "../buildkite/pipeline.yml", &file)
	if len(file.Steps) != 2 || file.Steps[1].DependsOn != file.Steps[0].Key {
		t.Fatalf("the steps are %+v", file.Steps)
	}
	commands := func(step int) (list []string) {
		many, ok := file.Steps[step].Command.([]any)
		if !ok {
			many = []any{file.Steps[step].Command}
		}
		for _, c := range many {
			list = append(list, strings.ReplaceAll(fmt.Sprint(c), "$$", "$")) // as buildkite-agent pipeline upload reads it
		}
		return list
	}
	p := pipeline{search: commands(0), merge: commands(1), shards: numbered(file.Steps[0].Parallelism, 0, "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT")}
	p.run(t)
}

// TestCircleCI: what the file runs comes to what one machine finds.
func TestCircleCI(t *testing.T) {
	var file struct {
		Jobs map[string]struct {
			Parallelism int
			Steps       []any
		}
		Workflows struct{ Lockpick struct{ Jobs []any } }
	}
	read(t, "../circleci/config.yml", &file)
	commands := func(job string) (list []string) {
		for _, s := range file.Jobs[job].Steps {
			if step, ok := s.(map[string]any); ok {
				if run, ok := step["run"].(map[string]any); ok {
					list = append(list, fmt.Sprint(run["command"]))
				}
			}
		}
		return list
	}
	if got := fmt.Sprint(file.Workflows.Lockpick.Jobs); got != "[search map[merge:map[requires:[search]]]]" {
		t.Errorf("the workflow is %s", got)
	}
	p := pipeline{search: commands("search"), merge: commands("merge"), shards: numbered(file.Jobs["search"].Parallelism, 0, "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL")}
	p.run(t)
}
