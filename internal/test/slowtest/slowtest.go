// Package slowtest marks tests that `make test` leaves out, because they take seconds each. `make
// test-slow` finds them by their calls of [SkipIfShort] and runs them, with the small searches of -short;
// CI does so in a step of its own.
package slowtest

import (
	"os"
	"testing"
)

// Slow is the environment variable that makes them run with -short as well, if it is not empty.
const Slow = "LOCKPICK_SLOW"

// SkipIfShort skips the test, or the subtest, with -short, unless [Slow] is set.
func SkipIfShort(t testing.TB) {
	t.Helper()
	if testing.Short() && os.Getenv(Slow) == "" {
		t.Skip("it takes seconds: make test-slow runs it")
	}
}
