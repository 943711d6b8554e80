// Package slowtest marks tests that `make test` leaves out, because they take seconds each. `make
// test-slow` finds them by their calls of [SkipIfShort] and runs them; CI does so in a step of its own.
package slowtest

import "testing"

// SkipIfShort skips the test, or the subtest, with -short.
func SkipIfShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes seconds: make test-slow runs it")
	}
}
