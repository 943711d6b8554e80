package simrun

import (
	"context"
	"fmt"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// overlayCmd writes the overlay of the Go runtime.
type overlayCmd struct{}

// Help returns the long description.
func (overlayCmd) Help() string {
	return `go test -overlay="$(simrun overlay)" ./... builds the tests with a Go runtime that is changed in a few lines: in a run, the order of goroutines
that go on or begin at one event is a decision that searches make, and selects, timers and mutexes repeat exactly. The same flag of go build makes such a simrun.

The overlay is made from the sources of the go command's installation here, and written to the user's cache directory; the installation is not changed.
The first build takes a minute or two, since all of the standard library is built again; go keeps the result.`
}

// Run writes the overlay, and prints its name.
func (overlayCmd) Run(ctx context.Context, a *app) error {
	name, err := overlayOf(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(wording.Data(a.out), name)
	return nil
}
