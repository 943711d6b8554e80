package monitor_test

import (
	"flag"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/checker/monitor"
	"github.com/lockpick-dev/lockpick/internal/test/histories"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// judged are the kinds that have a monitor, with how many calls their histories
// have at most, and how many percent the monitor must decide itself. (Many of the
// histories have calls of unknown outcome in every second place, clients that
// answer out of turn, and events of one number.)
var judged = []struct {
	kind model.Kind
	most int
	want int
}{
	{model.KindMutex, 9, 65},
	{model.KindLeased, 9, 55},
	{model.KindFenced, 9, 60},
	{model.KindReentrant, 9, 60},
	{model.KindReentrantFenced, 9, 55},
	{model.KindReadWrite, 9, 60},
	{model.KindSemaphore, 7, 45},
	{model.KindLatch, 9, 90},
	{model.KindBarrier, 9, 85},
}

// checks is how many histories of each kind are judged.
func checks() int {
	if os.Getenv("LOCKPICK_LONG") != "" {
		return 300_000
	}
	return 20_000
}

// TestAgreement is the proof by trial that monitors decide like porcupine: on
// 20,000 small histories of each kind, or 300,000 with LOCKPICK_LONG.
func TestAgreement(t *testing.T) {
	for _, k := range judged {
		t.Run(string(k.kind), func(t *testing.T) {
			counts, doubts := map[model.Status]int{}, map[string]int{}
			manyChecks(t, checks(), func(t *rapid.T) {
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
			if counts[model.Undecided]*100 > all*(100-k.want) || counts[model.Holds] < all/20 || counts[model.Violated] < all/20 {
				t.Errorf("want a twentieth of each answer, and %d%% decided: %v", k.want, counts)
			}
		})
	}
}

// TestAgreementOnOwners is the same for owners that several clients act for, of
// whom one may crash.
func TestAgreementOnOwners(t *testing.T) {
	for _, kind := range []model.Kind{model.KindReentrant, model.KindReentrantFenced, model.KindReadWrite, model.KindSemaphore} {
		t.Run(string(kind), func(t *testing.T) {
			decided, all := 0, 0
			manyChecks(t, checks()/4, func(t *rapid.T) {
				spec := histories.Spec(t, kind)
				calls := histories.Shared(spec, 6).Draw(t, "calls")
				if spec.CheckAll(calls) != nil {
					return // no recorder could have meant it
				}
				if all++; agree(t, spec, calls).Status != model.Undecided {
					decided++
				}
			})
			if decided < all/4 {
				t.Errorf("%d of %d decided", decided, all)
			}
		})
	}
}

// TestComplete: a monitor decides every history of clients that do one thing at a
// time and whose calls were all answered, but for tries of a semaphore that
// failed, and for a latch that counts by more than one or a barrier that names
// some generations only.
func TestComplete(t *testing.T) {
	for _, k := range judged {
		t.Run(string(k.kind), func(t *testing.T) {
			decided, doubts, all := 0, 0, 0
			manyChecks(t, checks()/4, func(t *rapid.T) {
				all++
				spec := histories.Spec(t, k.kind)
				calls := complete(histories.Any(spec, k.most+3).Draw(t, "calls"))
				if calls == nil {
					return
				}
				r := agree(t, spec, calls)
				if r.Status != model.Undecided {
					decided++
					return
				}
				doubts++
				if k.kind != model.KindSemaphore && k.kind != model.KindLatch && k.kind != model.KindBarrier && k.kind != model.KindLeased {
					t.Fatalf("not decided: %s\n%+v\n%s", r.Doubt, spec, histories.Text(calls))
				}
			})
			t.Logf("%d decided, %d not", decided, doubts)
			if decided < all*4/10 || doubts > decided/3 {
				t.Errorf("%d decided, %d not", decided, doubts)
			}
		})
	}
}

// complete is the answered part of a history, or nil if a client did two things at
// a time, if two events have one number, or if a release means a hold by its number
// that is not the caller's.
func complete(calls []model.Call) []model.Call {
	calls = slices.DeleteFunc(slices.Clone(calls), func(c model.Call) bool { return c.Pending() })
	events, acquirer := map[int64]bool{}, map[int]string{}
	for i := range calls {
		c := &calls[i]
		acquirer[c.ID] = c.Holder()
		if events[c.Call] || events[c.Return] || c.Call == c.Return {
			return nil
		}
		events[c.Call], events[c.Return] = true, true
		for j := range calls[:i] {
			if x := &calls[j]; x.Holder() == c.Holder() && x.Call < c.Return && c.Call < x.Return {
				return nil
			}
		}
	}
	for i := range calls {
		if c := &calls[i]; c.Of != 0 && acquirer[c.Of] != c.Holder() {
			return nil
		}
	}
	return calls
}

// agree fails unless the monitor and porcupine agree on a history, and answers
// what the monitor said.
func agree(t *rapid.T, spec model.Spec, calls []model.Call) monitor.Result {
	r, err := monitor.Judge(spec, calls, monitor.Bound{Time: time.Nanosecond})
	switch {
	case err != nil:
		t.Fatal(err)
	case r.Searched: // within so short a time, perhaps
		return monitor.Result{Status: model.Undecided, Doubt: r.Doubt, Searched: true}
	}
	legal := porcupine.CheckOperations(objects.Model(spec), objects.Operations(spec, calls))
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
