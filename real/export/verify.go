package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// MissingError names a program that is not installed.
type MissingError struct{ Needs string }

func (e *MissingError) Error() string { return "the test cannot run here; install " + e.Needs }

// NotShownError is the error of a test that did not fail.
type NotShownError struct {
	Runs int
	Log  string
}

func (e *NotShownError) Error() string {
	return fmt.Sprintf("the test shows the violation in none of %s, so that nothing was written:\n%s", wording.Count(e.Runs, "run"), wording.Indent(e.Log))
}

// verify runs the test, with the version that has the failure and with the one that has it not.
func (j *Job) verify(ctx context.Context, work string, r *Result) error {
	if _, err := exec.LookPath("go"); err != nil {
		return &MissingError{"Go (https://go.dev/dl) on the PATH"}
	}
	var err error
	if r.Failed, _, r.Log, err = j.count(ctx, work); err != nil {
		return err
	}
	r.Server = protocols[j.Trace.Store].version()
	if r.Failed == 0 {
		return &NotShownError{r.Runs, r.Log}
	}
	if j.Repaired == "" {
		return nil
	}
	other, err := os.MkdirTemp("", "lockpick-export-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(other)
	for _, name := range []string{"x_test.go", "go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(work, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(other, name), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	if _, err := goCommand(ctx, other, append([]string{"get"}, strings.Split(j.Repaired, ",")...)...); err != nil {
		return err
	}
	var log string
	if _, r.Repaired, log, err = j.count(ctx, other); err != nil {
		return err
	}
	if r.Repaired > 0 {
		return fmt.Errorf("with %s the test fails in %d of %s, so that nothing was written:\n%s", j.Repaired, r.Repaired, wording.Count(r.Runs, "run"), wording.Indent(log))
	}
	return nil
}

// count runs the test so often, and returns how many runs have shown the violation, and how many have failed for any reason.
func (j *Job) count(ctx context.Context, dir string) (shown, failed int, log string, err error) {
	if _, err := goCommand(ctx, dir, "mod", "tidy"); err != nil {
		return 0, 0, "", err
	}
	if _, err := goCommand(ctx, dir, "vet", "."); err != nil {
		return 0, 0, "", err
	}
	log, err = goCommand(ctx, dir, "test", "-v", fmt.Sprintf("-count=%d", j.Runs), "-run", "^Test", ".")
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, 0, log, err
	}
	lines := func(prefix string) (n int) {
		for line := range strings.Lines(log) {
			if strings.HasPrefix(line, prefix) {
				n++
			}
		}
		return n
	}
	failed = lines("--- FAIL: ")
	shown = strings.Count(log, ": "+j.Trace.Property+": ")
	passed, skipped := lines("--- PASS: "), lines("--- SKIP: ")
	switch {
	case skipped > 0:
		return 0, 0, log, &MissingError{j.needs}
	case failed+passed != j.Runs:
		return 0, 0, log, fmt.Errorf("the test does not run: %w\n%s", err, wording.Indent(log))
	}
	return shown, failed, first(log), nil
}

// first returns the output of the first run that failed.
func first(log string) string {
	if at := strings.Index(log, "--- FAIL: "); at >= 0 {
		from := strings.LastIndex(log[:at], "=== RUN")
		log = log[max(from, 0):]
		if end := strings.Index(log[1:], "=== RUN"); end >= 0 {
			log = log[:end+1]
		}
	}
	return log
}

func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "CI=")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		return out.String(), fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, wording.Indent(out.String()))
	}
	return out.String(), nil
}
