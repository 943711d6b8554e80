package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// The exit codes of the program.
const (
	exitNone      = 0
	exitViolation = 1
)

// program is the path of the program, as make build makes it.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "simrun")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "simrun")
	if out, err := exec.Command("go", "build", "-ldflags=-X testing.testBinary=1", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir) // what is left is in the directory for temporary files
	os.Exit(code)
}

// printed runs a command that must exit with the code and print no error, and returns its output.
func printed(t *testing.T, code int, args ...string) string {
	t.Helper()
	var errs strings.Builder
	c := exec.Command(program, args...)
	c.Stderr = &errs
	out, err := c.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if c.ProcessState.ExitCode() != code || errs.Len() > 0 {
		t.Fatalf("%q: exit code %d, want %d\n%s%s", args, c.ProcessState.ExitCode(), code, out, &errs)
	}
	return strings.ReplaceAll(string(out), program, "simrun")
}

// TestList: what there is of all stores, and what applies to one.
func TestList(t *testing.T) {
	golden.File(t, "testdata/list_compact.golden", printed(t, exitNone, "list"))
	golden.File(t, "testdata/list.golden", printed(t, exitNone, "list", "-v"))
	for store, has := range map[string][2]string{ // unordered: each by itself
		"mysql":     {"pool-exhausted", "stale-follower"},
		"postgres":  {"pool-exhausted", "stale-follower"},
		"zookeeper": {"stale-follower", "pool-exhausted"},
		"redis":     {"gc-pause", "session-expiry"},
		"file":      {"session-expiry", "stale-follower"},
		"etcd":      {"session-expiry", "pool-exhausted"},
		"kube":      {"server-errors", "pool-exhausted"},
		"s3":        {"server-errors", "session-expiry"},
	} {
		for _, how := range [][]string{nil, {"-v"}, {"--json"}} {
			out := printed(t, exitNone, append([]string{"list", "--store", store}, how...)...)
			if !strings.Contains(out, has[0]) || strings.Contains(out, has[1]) || strings.Contains(out, "zklib") != (store == "zookeeper") {
				t.Errorf("list --store %s %v:\n%s", store, how, out)
			}
		}
	}
	if out := printed(t, exitNone, "complete", "--", "matrix", "--store", "zo"); out != "zookeeper\n" {
		t.Errorf("it completes --store zo to %q", out)
	}
}

// TestDocsMatrix: the tables of docs/matrix.md are what the expectations of these stores say.
func TestDocsMatrix(t *testing.T) {
	for _, store := range []string{"zookeeper", "mysql", "postgres", "kube", "s3"} {
		golden.Part(t, "../../../docs/matrix.md", "<!-- simrun matrix --expected --store "+store+" -->\n", "<!-- end -->\n", printed(t, exitNone, "matrix", "--expected", "--store", store))
	}
}

// zookeeperRun are the arguments of a command in an article.
const zookeeperRun = "run gc-pause --lock zookeeper --runs 50"

// TestRun: what searches against these stores print; docs/articles quotes one.
func TestRun(t *testing.T) {
	article, err := os.ReadFile("../../../docs/articles/what-breaks-a-lease.md")
	if err != nil || !strings.Contains(string(article), "\ngo run -C lab ./cmd/simrun "+zookeeperRun+"\n") {
		t.Errorf("the article does not have the command whose output it quotes: %v", err)
	}
	dir := t.TempDir()
	for name, args := range map[string]string{ // unordered: each by itself
		"run_zookeeper.golden":      "run gc-pause --lock curator --runs 60",
		"run_mysql.golden":          "run deadlock --lock db-row-retried --runs 40",
		"gc_pause_zookeeper.golden": zookeeperRun,
	} {
		t.Run(name, func(t *testing.T) {
			out := printed(t, exitViolation, append(strings.Fields(args), "--stable", "--out", dir)...)
			if n := strings.Count(out, "\n"); n >= 60 { // as docs/simrun.md says
				t.Errorf("it prints %d lines", n)
			}
			golden.File(t, filepath.Join("testdata", name), strings.ReplaceAll(out, dir, "DIR"))
		})
	}
}

// TestDiff: for a counterexample of each of these stores there is a passing run, which is the same until a deviation is missing, and in
// which the property is not violated.
func TestDiff(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, test := range []struct{ scenario, lock, property, class string }{
		{"gc-pause", "curator", "mutual-exclusion", "_limit"},
		{"two-step-release", "db-unique-lease", "overrun", "_limit"},
	} {
		t.Run(test.lock, func(t *testing.T) {
			dir := t.TempDir()
			printed(t, exitViolation, "run", test.scenario, "--lock", test.lock, "--runs", "500", "--no-shrink", "--out", dir)
			out := printed(t, exitViolation, "diff", filepath.Join(dir, test.scenario+"_"+test.lock+"_"+test.property+test.class+".json"))
			if !regexp.MustCompile(`(?m)^B  the same without this: .+$`).MatchString(out) || !strings.Contains(out, "   "+test.property+" is violated: "+test.lock) ||
				!strings.Contains(out, "Where the runs begin to differ") || !regexp.MustCompile(`(?m)^  `+test.property+` +A violated.*, B (holds|not applicable)$`).MatchString(out) {
				t.Errorf("it is told as\n%s", out)
			}
		})
	}
}
