package fidelity

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// attempts is the most times that [Repeat] compares a script: on a busy machine a real server may be late,
// and execute concurrent work in another order.
const attempts = 10

// Check calls compare for random scripts: 200, 40 with -short, and 2000 if the variable LOCKPICK_LONG is set. Compare
// draws a script from rt, and returns how two plays of it differ, or "". The first script that differs fails the test,
// and is shrunk. The 200 and the 40 are the same each time, unless the flag -rapid.seed is set; the 2000 are new each
// time.
func Check(t *testing.T, compare func(rt *rapid.T) (differs string)) {
	t.Helper()
	compared, failed, scripts := 0, false, scripts()
	property := func(rt *rapid.T) {
		if compared == scripts && !failed { // one that differs is being shrunk
			return
		}
		if d := compare(rt); d != "" {
			failed = true
			rt.Fatal(d)
		}
		compared++
	}
	for round := 1; compared < scripts && !failed; round++ {
		restore := settle(round)
		rapid.Check(t, property)
		restore()
	}
	t.Logf("%d scripts compared", compared)
}

// settle sets rapid's seed for a round, unless the user has set it or LOCKPICK_LONG asks for new scripts.
func settle(round int) (restore func()) {
	seed := flag.Lookup("rapid.seed")
	if os.Getenv("LOCKPICK_LONG") != "" || seed.Value.String() != "0" {
		return func() {}
	}
	_ = seed.Value.Set(strconv.Itoa(round))
	return func() { _ = seed.Value.Set("0") }
}

// scripts returns the number of scripts to compare.
func scripts() int {
	switch {
	case os.Getenv("LOCKPICK_LONG") != "":
		return 2000
	case testing.Short():
		return 40
	}
	return 200
}

// Repeat calls compare until it returns "", at most ten times, and returns its last result.
func Repeat(compare func() (differs string)) (differs string) {
	for range attempts {
		if differs = compare(); differs == "" {
			break
		}
	}
	return differs
}
