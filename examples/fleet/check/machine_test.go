package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// programs is a directory with what the examples run: simrun, go, which runs the tests of mylock that are built already, and
// buildkite-agent, which copies artifacts from the directory $ARTIFACTS.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "lockpick-fleet-")
	if err != nil {
		return "", err
	}
	made = dir
	for _, build := range []struct {
		in   string
		args []string
	}{
		{"../../..", []string{"build", "-o", filepath.Join(dir, "simrun"), "./cmd/simrun"}},
		{"..", []string{"test", "-c", "-o", filepath.Join(dir, "mylock.test"), "./mylock"}},
	} {
		cmd := exec.Command("go", build.args...)
		cmd.Dir = build.in
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go %s: %w\n%s", strings.Join(build.args, " "), err, out)
		}
	}
	return dir, errors.Join(
		script(filepath.Join(dir, "go"), `[[ $1 == test ]] || { echo "this is no go test: $*" >&2; exit 64; }
shift
flags=()
while [[ $1 == -* ]]; do
	case $1 in
	-run | -timeout) flags+=("-test.${1#-}=$2"); shift 2 ;;
	*) flags+=("-test.${1#-}"); shift ;;
	esac
done
cd "$1" && shift && exec "`+dir+`/mylock.test" "${flags[@]}" "$@"`),
		script(filepath.Join(dir, "buildkite-agent"), `[[ "$1 $2 $4" == "artifact download ." ]] && cp -r "$ARTIFACTS/${3%%/*}" .`),
	)
})

func script(path, text string) error {
	return os.WriteFile(path, []byte("#!/bin/bash\nset -eu\n"+text+"\n"), 0o777)
}

// made is removed at the end.
var made string

func TestMain(m *testing.M) {
	code := m.Run()
	if made != "" {
		_ = os.RemoveAll(made) // it is in a directory for what may be lost
	}
	os.Exit(code)
}

// engineVariables begin those by which engines say which shard a job has: the machine of these tests may be one of an engine.
var engineVariables = []string{"JOB_COMPLETION_INDEX", "SLURM_", "CI_", "BUILDKITE", "CIRCLE", "AWS_BATCH", "SIMRUN_", "GITHUB_"}

// run runs a command as a job of an engine does, in a directory and with the engine's variables. It returns the exit code.
func run(t *testing.T, dir, command string, env ...string) (code int, out string) {
	t.Helper()
	bin, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	here := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return slices.ContainsFunc(engineVariables, func(p string) bool { return strings.HasPrefix(v, p) })
	})
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(append(here, "PATH="+bin+":"+os.Getenv("PATH"), "PWD="+dir), env...)
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// contents are the files of a directory by their names, and their texts. What names the directory does so by a letter.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = strings.ReplaceAll(string(text), dir, "D")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// same fails unless both directories have the same files.
func same(t *testing.T, got, want string) {
	t.Helper()
	a, b := contents(t, got), contents(t, want)
	if len(b) == 0 {
		t.Fatalf("there is nothing in %s", want)
	}
	for name, text := range b { // unordered: each by itself
		if a[name] != text {
			t.Errorf("%s differs from that of one machine (%d bytes, want %d)", name, len(a[name]), len(text))
		}
	}
	for name := range a { // unordered: each by itself
		if _, there := b[name]; !there {
			t.Errorf("one machine has no %s", name)
		}
	}
}
