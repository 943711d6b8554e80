package simrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"

	"github.com/lockpick-dev/lockpick/internal/overlay"
	"github.com/lockpick-dev/lockpick/internal/wording"
)

// overlayCmd writes the overlay of the Go runtime.
type overlayCmd struct{}

// Help says more.
func (overlayCmd) Help() string {
	return `go test -overlay="$(simrun overlay)" ./... builds the tests with a Go runtime that is changed in a few lines: in a run, the order of goroutines
that go on or begin at one event is a decision that searches make, and selects, timers and mutexes repeat exactly. The same flag of go build makes such a simrun.

The overlay is made from the sources of the go command's installation here, and written to the user's cache directory; the installation is not changed.
The first build takes a minute or two, since all of the standard library is built again; go keeps the result.`
}

// Run writes the overlay, and prints its name.
func (overlayCmd) Run(ctx context.Context, a *app) error {
	out, err := exec.CommandContext(ctx, "go", "env", "-json", "GOROOT", "GOVERSION").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return fmt.Errorf("the overlay is for the go command, which cannot be asked for its installation: %w", err)
	}
	var env struct{ GOROOT, GOVERSION string }
	if err := json.Unmarshal(out, &env); err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	dir, err := overlay.Dir()
	if err != nil {
		return err
	}
	name, err := overlay.Write(env.GOROOT, env.GOVERSION, dir)
	if err != nil {
		return usageError{err}
	}
	fmt.Fprintln(wording.Data(a.out), name)
	return nil
}
