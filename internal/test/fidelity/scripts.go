package fidelity

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// attempts is how often a script may differ before it counts: when the machine is busy, a
// real server may be late, and what it does side by side may come in another order.
const attempts = 10

// Check draws and compares scripts with compare, which returns where they differ, or "": 200
// of them, 40 with -short, and 2000 if the variable LOCKPICK_LONG is set. The 2000 are new ones
// each time; the 200 and the 40 are the same each time, unless the flag -rapid.seed says
// otherwise. One that differs fails the test, and is made smaller.
func Check(t *testing.T, compare func(rt *rapid.T) (differs string)) {
	t.Helper()
	compared, failed, scripts := 0, false, scripts()
	property := func(rt *rapid.T) {
		if compared == scripts && !failed { // one that differs is made smaller
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

// settle sets rapid's seed for a round, if neither the user has done so nor new scripts are
// asked for.
func settle(round int) (restore func()) {
	seed := flag.Lookup("rapid.seed")
	if os.Getenv("LOCKPICK_LONG") != "" || seed.Value.String() != "0" {
		return func() {}
	}
	_ = seed.Value.Set(strconv.Itoa(round))
	return func() { _ = seed.Value.Set("0") }
}

// scripts is how many scripts are compared.
func scripts() int {
	switch {
	case os.Getenv("LOCKPICK_LONG") != "":
		return 2000
	case testing.Short():
		return 40
	}
	return 200
}

// Repeat compares one script until it does not differ, a few times at most, and returns the
// last difference, or "".
func Repeat(compare func() (differs string)) (differs string) {
	for range attempts {
		if differs = compare(); differs == "" {
			break
		}
	}
	return differs
}
