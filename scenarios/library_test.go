package scenarios_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// finding is what a search of one lock in one scenario comes to: what it must
// show, what it may, and nothing else.
type finding struct {
	scenario  string
	settings  []string // parameters, name and value in turn
	must, may []string
}

// library is what must be found of the locks over one key of Redis, in a sentence
// and by scenario. What else is to be known of setpx, setpx-twostep, setpx-fenced
// and setpx-wait is in the table of TestMustBeFound.
var library = []struct {
	lock, why string
	findings  []finding
}{
	{"setpx-cad", "It is setpx, released by a command: it survives what setpx survives, and loses what every lease loses.", []finding{
		{scenario: "contention"},
		{scenario: "lost-reply"},
		{scenario: "holder-crash"},
		{scenario: "gc-pause", must: claims, may: harm},
		{scenario: "node-restart", must: claims, may: harm},
	}},
	{"setpx-watch", "It is setpx, released in a transaction, which is as good and takes more commands; go-redis does not try it again by itself, so the lock has to.", []finding{
		{scenario: "contention"},
		{scenario: "lost-reply"},
		{scenario: "holder-crash"},
		{scenario: "gc-pause", must: claims, may: harm},
		{scenario: "node-restart", must: claims, may: harm},
	}},
	{"setpx-fenced-elsewhere", "Its tokens do not repeat when the lock's node forgets, so two holders do no harm; they do when the counter's node does, which its replica prevents but in a restart.", []finding{
		{scenario: "contention"},
		{scenario: "failover-loss", may: claims},
		{scenario: "gc-pause", must: claims},
		{scenario: "node-restart", must: []string{checker.Fencing}, may: slices.Concat(claims, harm)},
	}},
	{"pull", "It knows its own record and its end and cleans up, so nothing is a fault of its own; a store that forgets gives it two holders, and a pause between the look at the end and the access an overrun.", []finding{
		{scenario: "contention"},
		{scenario: "lost-reply"},
		{scenario: "late-request"},
		{scenario: "cancel"},
		{scenario: "holder-crash"},
		{scenario: "gc-pause", must: []string{checker.Overrun}, may: harm},
		{scenario: "node-restart", must: []string{checker.MutualExclusion, checker.LeaseHonesty}, may: harm},
	}},
	{"pull-renew", "It is pull; that it is renewed changes nothing for a holder that is paused, whose renewals are paused as well.", []finding{
		{scenario: "contention"},
		{scenario: "lost-reply"},
		{scenario: "cancel"},
		{scenario: "holder-crash"},
		{scenario: "gc-pause", must: []string{checker.Overrun}, may: harm},
	}},
	{"reentrant", "It knows its holder and its end and cleans up, so nothing is a fault of its own; a store that forgets gives it two holders, and a pause between the look at the end and the access an overrun.", []finding{
		{scenario: "contention"},
		{scenario: "lost-reply"},
		{scenario: "late-request"},
		{scenario: "cancel"},
		{scenario: "holder-crash"},
		{scenario: "gc-pause", may: append([]string{checker.Overrun}, harm...)},
		{scenario: "node-restart", must: []string{checker.MutualExclusion, checker.LeaseHonesty}, may: harm},
	}},
	{"watchdog", "It is reentrant; that it is renewed changes nothing for a holder that is paused, whose watchdog is paused as well.", []finding{
		{scenario: "contention"},
		{scenario: "lost-reply"},
		{scenario: "cancel"},
		{scenario: "holder-crash"},
		{scenario: "gc-pause", must: []string{checker.Overrun}, may: harm},
	}},
	{"redlock", "A minority of servers that fail, hang or forget is no harm; a bare majority of which one forgets is none any more.", []finding{
		{scenario: "contention"},
		{scenario: "cancel"},
		{scenario: "hung-node"},
		{scenario: "holder-crash"},
		{scenario: "gc-pause", must: []string{checker.Overrun}, may: harm},
		{scenario: "node-restart", may: append([]string{checker.MutualExclusion, checker.LeaseHonesty}, harm...)},
	}},

	{"setnx", "Its key has no expiry, so a holder that dies, or an Acquire that is asked twice because its answer was lost, locks everybody out; and its DEL looks at nobody's value.", []finding{
		{scenario: "contention"},
		{scenario: "holder-crash", must: []string{checker.Progress}},
		{scenario: "lost-reply", must: []string{checker.Progress, checker.OwnerOnlyRelease}, may: anybodysRelease},
	}},
	{"setnx-timestamp-del", "Two clients see the dead holder's lease ended, and the second one's DEL removes the key that the first has just set; and what has ended is decided by each client's own clock.", []finding{
		{scenario: "contention"},
		{scenario: "holder-crash", settings: []string{"clients", "3", "delays", "1"}, must: []string{checker.MutualExclusion, checker.OwnerOnlyRelease}, may: anybodysRelease},
		{scenario: "clock-skew", must: claims, may: anybodysRelease},
	}},
	{"setnx-getset", "Whose clock is ahead takes over what has not ended; the loser's GETSET changes the winner's value; and GET, compare, DEL may delete what was taken over in between.", []finding{
		{scenario: "contention"},
		{scenario: "clock-skew", must: claims, may: anybodysRelease},
		{scenario: "two-step-release", must: []string{checker.OwnerOnlyRelease}, may: anybodysRelease},
	}},
	{"setnx-getset-nil", "It is setnx-getset, and locks itself out where the lease that it takes over was released just before its GETSET.", []finding{
		{scenario: "contention"},
		{scenario: "clock-skew", must: claims, may: anybodysRelease},
		{scenario: "two-step-release", must: []string{checker.OwnerOnlyRelease}, may: anybodysRelease},
	}},
	{"setnx-getset-as-printed", "Its leases end a thousand times too early, by clocks that have nothing to do with each other, and its release does not tell: it needs no fault.", []finding{
		{scenario: "contention", must: slices.Concat(twoHolders, []string{checker.TruthfulRelease}), may: []string{checker.OwnerOnlyRelease, checker.NoOrphan}},
	}},
	{"setpx-del", "A release that comes when the lease has ended, or that is sent twice, deletes whoever's key there is.", []finding{
		{scenario: "contention"},
		{scenario: "lost-reply", must: []string{checker.OwnerOnlyRelease, checker.MutualExclusion}, may: anybodysRelease},
		{scenario: "gc-pause", must: []string{checker.OwnerOnlyRelease}, may: anybodysRelease},
	}},
	{"setpx-void-as-printed", "Who has waited in vain goes on as if he held the lock: it needs no fault.", []finding{
		{scenario: "contention", must: twoHolders},
	}},
	{"setpx-d-as-printed", "Its lease is as long as its caller will wait, which is shorter than he works: it needs no fault.", []finding{
		{scenario: "contention", must: twoHolders},
	}},
	{"setpx-spin-release-as-printed", "Its release is sound and does not return once the lease has ended, so that the run comes to no end: see the functional tests; where nothing ends a lease it is setpx.", []finding{
		{scenario: "contention"},
		{scenario: "holder-crash"},
	}},
}

// claims are two holders as clients know them, harm what comes of it.
var (
	claims = []string{checker.MutualExclusion, checker.Linearizable}
	harm   = []string{checker.NoLostUpdate}
)

// TestLibrary searches, with a small budget, for what must be found of each
// lock.
func TestLibrary(t *testing.T) {
	for _, l := range library {
		for _, f := range l.findings {
			t.Run(l.lock+"/"+f.scenario, func(t *testing.T) {
				t.Parallel()
				found := survey(t, cell(t, f.scenario, l.lock, f.settings...))
				for _, p := range f.must {
					if !slices.Contains(found, p) {
						t.Errorf("%s was not found. %s", p, l.why)
					}
				}
				for _, p := range found {
					if !slices.Contains(f.must, p) && !slices.Contains(f.may, p) {
						t.Errorf("%s is violated, which must never be. %s", p, l.why)
					}
				}
			})
		}
	}
}

// TestLibraryWhole: no built-in lock is forgotten.
func TestLibraryWhole(t *testing.T) {
	for _, l := range scenarios.Locks() {
		known := false
		for _, row := range table {
			known = known || row.lock == l.ID
		}
		for _, row := range library {
			known = known || row.lock == l.ID
		}
		if !known {
			t.Errorf("nothing is written down of what must be found of %s", l.ID)
		}
	}
}

// TestLibraryWeak: what pull says that it cannot help, which is judged by name
// only.
func TestLibraryWeak(t *testing.T) {
	for scenario, property := range map[string]string{"hung-node": checker.LateOrphan, "lost-reply": checker.ReleaseDenied} {
		c := cell(t, scenario, "pull")
		c.Properties = []string{property}
		found := false
		for schedule := 0; schedule < 300 && !found; schedule++ {
			for _, v := range c.Run(explore.Run{Tape: explore.Random(1, schedule)}).Verdicts {
				found = found || v.Status == model.Violated
			}
		}
		if !found {
			t.Errorf("%s: %s was not found", scenario, property)
		}
	}
}

// survey runs a few schedules and returns what they violated.
func survey(t *testing.T, c scenarios.Cell) (found []string) {
	t.Helper()
	const schedules = 160
	request := explore.Request{Cell: c.Encode(), Strategy: explore.PortfolioStrategy, Seed: 1, Count: schedules}
	err := worker(t, 1).Do(t.Context(), request, func(r explore.Result) bool {
		if r.Trouble != nil {
			t.Errorf("schedule %d: %s\n%s", r.Schedule, r.Trouble.Reason, r.Trouble.Stack)
		}
		for _, p := range r.Violated {
			if !slices.Contains(found, p) {
				found = append(found, p)
			}
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
