package monitor_test

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/checker/monitor"
	"github.com/lockpick-dev/lockpick/internal/histories"
	"github.com/lockpick-dev/lockpick/model"
)

// judged are the kinds that have a monitor, with the part of histories that it
// must decide itself, in percent.
var judged = []struct {
	kind model.Kind
	most int // calls in a history
	want int
}{
	{model.KindMutex, 10, 90},
	{model.KindLeased, 10, 90},
	{model.KindFenced, 10, 90},
	{model.KindReentrant, 10, 90},
	{model.KindReentrantFenced, 10, 90},
	{model.KindReadWrite, 10, 90},
	{model.KindLatch, 10, 90},
	{model.KindBarrier, 10, 90},
}

// TestAgreement is the proof by trial that monitors decide like porcupine: on
// 20,000 small histories of each kind, or 300,000 with LOCKPICK_LONG.
func TestAgreement(t *testing.T) {
	n := 20_000
	switch {
	case os.Getenv("LOCKPICK_LONG") != "":
		n = 300_000
	case testing.Short():
		n = 2_000
	}
	for _, k := range judged {
		t.Run(string(k.kind), func(t *testing.T) {
			counts, doubts := map[model.Status]int{}, map[string]int{}
			manyChecks(t, n, func(t *rapid.T) {
				spec := histories.Spec(t, k.kind)
				r := agree(t, spec, histories.Any(spec, k.most).Draw(t, "calls"))
				counts[r.Status]++
				doubts[r.Doubt]++
			})
			t.Logf("%v", counts)
			for doubt, n := range doubts {
				t.Logf("%6d %s", n, doubt)
			}
			all := counts[model.Holds] + counts[model.Violated] + counts[model.Undecided]
			if counts[model.Undecided]*100 > all*(100-k.want) || counts[model.Holds] < all/10 || counts[model.Violated] < all/10 {
				t.Errorf("want a tenth of each answer, and %d%% decided: %v", k.want, counts)
			}
		})
	}
}

// agree fails unless the monitor and porcupine agree on a history, and answers
// what the monitor said.
func agree(t *rapid.T, spec model.Spec, calls []model.Call) monitor.Result {
	m, err := monitor.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	r := monitor.Feed(m, calls)
	if r.Status == model.Undecided {
		return r
	}
	legal := porcupine.CheckOperations(spec.Model(), model.Operations(spec, calls))
	if legal != (r.Status == model.Holds) {
		t.Fatalf("porcupine: legal %v; monitor: %s, %+v\n%+v\n%s", legal, r.Status, r.Violation, spec, histories.Text(calls))
	}
	return r
}

// manyChecks runs a property on n cases, or on as many as the command line asks
// for.
func manyChecks(t *testing.T, n int, property func(*rapid.T)) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if old := checks.Value.String(); old == checks.DefValue {
		if err := checks.Value.Set(strconv.Itoa(n)); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = checks.Value.Set(old) }() // it was that before
	}
	rapid.Check(t, property)
}
