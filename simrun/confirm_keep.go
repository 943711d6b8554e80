package simrun

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// checkOut refuses what cannot be written before anything is run.
func (c *confirmCmd) checkOut() error {
	if c.Write && c.Lock != "" {
		return errors.New("--write and --lock exclude each other: the result of another lock is not one of the trace")
	}
	if len(c.Traces) > 1 && strings.HasSuffix(c.Out, ".json") {
		return fmt.Errorf("-o %s: there are several traces: name a directory for their real runs", c.Out)
	}
	return nil
}

// realPath is where the real run of a trace goes, empty if nowhere.
func (c *confirmCmd) realPath(path string) (string, error) {
	to := c.Out
	if to == "" {
		return "", nil
	}
	if !strings.HasSuffix(to, ".json") {
		if err := os.MkdirAll(to, 0o777); err != nil {
			return "", usageError{fmt.Errorf("the directory for real runs cannot be made: %w", err)}
		}
		to = filepath.Join(to, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+".real.json")
	}
	if recorded.SameFile(to, path) {
		return "", usageError{fmt.Errorf("%s is the trace itself: name another file for the real run with -o", to)}
	}
	return to, nil
}

// keep writes the result of the tries of a trace: the result into its file, and the real run into another.
func (c *confirmCmd) keep(a *app, job confirm.Confirmation, o *confirm.Outcome, path, real string) error {
	if c.Write {
		if err := job.Write(path, o); err != nil {
			return usageError{err}
		}
	}
	if real == "" || o.Real == nil {
		return nil
	}
	if err := traces.WriteFile(real, o.Real); err != nil {
		return usageError{fmt.Errorf("the real run cannot be written: %w", err)}
	}
	if !c.JSON {
		fmt.Fprintf(a.out, "  the real run is in %[1]s: %[2]s diff %[3]s %[4]s compares it with the simulated one\n", real, a.name, wording.ShellPath(path), wording.ShellPath(real))
	}
	return nil
}

// explain explains the real run, with the trace's width.
func (c *confirmCmd) explain(a *app, o *confirm.Outcome) error {
	if !c.Verbose || c.JSON || o.Real == nil {
		return nil
	}
	how := style(a.out)
	how.Story = true
	return render.Explain(a.out, o.Real, how)
}
