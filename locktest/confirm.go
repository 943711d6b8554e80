package locktest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/traces"
)

// confirmFlag makes the counterexample that -simrun.confirm names happen on real servers.
func (x *session) confirmFlag(ctx context.Context, t *testing.T) {
	t.Helper()
	path := testbinary.Confirm()
	old := x.named(t, "-simrun.confirm", path, "confirm it by", gotest.Confirm)
	if old == nil {
		return
	}
	effort, err := testbinary.Effort()
	if err != nil {
		t.Fatal(err)
	}
	t.Run(old.Scenario, func(t *testing.T) {
		t.Helper()
		c, err := x.confirmation(old)
		var came *confirm.Outcome
		if err == nil {
			came, err = c.Run(ctx, effort)
		}
		if err == nil {
			err = testbinary.KeepConfirmed(c, path, came)
		}
		if err != nil {
			t.Fatalf("-simrun.confirm=%s: %s", path, x.why(err))
		}
		x.tellConfirmed(t, old, came, path)
	})
}

// confirmation is that of a trace with the test's lock.
func (x *session) confirmation(old *traces.Trace) (c confirm.Confirmation, err error) {
	if x.isProgram {
		return c, confirm.ErrProgram
	}
	c.Trace, c.Client = old, testbinary.Client(x.worker)
	c.Store, _ = confirm.On(x.store)
	c.Cell, err = x.recorded(old)
	return c, err
}

// tellConfirmed reports what came of the tries.
func (x *session) tellConfirmed(t *testing.T, old *traces.Trace, came *confirm.Outcome, path string) {
	t.Helper()
	var b strings.Builder
	came.Print(&b, old, x.lock.ID)
	text := strings.TrimRight(b.String(), "\n")
	if came.Result == confirm.Confirmed && x.fails(old.Scenario, old.Violation()) {
		t.Error(text)
		return
	}
	if !testing.Verbose() { // go test shows nothing of a test that does not fail
		fmt.Fprintf(os.Stdout, "-simrun.confirm=%s: %s\n", path, text)
	}
	if came.Result != confirm.Confirmed {
		t.Skip(text)
	}
	t.Logf("%s\n%s", text, x.standing(old))
}

// confirmCommand is the command that makes a counterexample happen on real servers, empty if it cannot.
func (x *session) confirmCommand(t *traces.Trace, path string) string {
	if path == "" || t == nil || t.Trouble != nil {
		return ""
	}
	c, err := x.confirmation(t)
	if err != nil || c.Forcible(confirm.Usual.Limit) != nil {
		return ""
	}
	return x.commandWith(t.Scenario, false, gotest.ConfirmFlag(path))
}
