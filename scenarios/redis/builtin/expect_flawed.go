package builtin

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/expect"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// flawedExpectations are those of the locks that are here to be caught.
var flawedExpectations = []expect.Expectations{
	{Lock: "setnx", Reason: "Its key has no expiry, so a holder that dies, or an Acquire that is asked twice because its answer was lost, locks everybody out; and its DEL looks at nobody's value. No clock and no pause ends its lease, since it has none.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: stuck, May: anyWay},
		{Scenario: "two-step-release", Must: expect.All(stuck, removes), May: expect.All(leftKey, anyWay)},
		{Scenario: "holder-crash", Must: stuck},
		{Scenario: "lost-reply", Must: expect.All(stuck, removes), May: expect.All(blindRelease, leftKey)},
		{Scenario: "late-reply", Must: stuck, May: expect.All(leftKey, anyWay)},
		{Scenario: "late-request", Must: removes, May: expect.All(stuck, leftKey, anyWay)},
		{Scenario: "hung-node", Must: stuck, May: expect.All(leftKey, anyWay)},
		{Scenario: "partition", Must: expect.All(stuck, removes), May: expect.All(leftKey, anyWay)},
		{Scenario: "node-restart", Must: blindRelease, May: expect.All(stuck, anyWay)},
		{Scenario: "cancel", Must: expect.All(removes, stuck), May: expect.All(blindRelease, leftKey), Reason: "A second release deletes the key of whoever has it by then; a cancelled Acquire leaves it for ever."},
		{Scenario: "watchdog-late", Must: stuck, May: expect.All(leftKey, anyWay), Vacuous: true, Reason: neverRunsOut},
		{Scenario: "lost-wakeup", Must: expect.All(stuck, removes), May: expect.All(blindRelease, leftKey)},
	}},
	{Lock: "setnx-timestamp-del", Reason: "Two clients see the dead holder's lease ended, and the second one's DEL removes the key that the first has just set; and what has ended is decided by each client's own clock, so that no clock of the store matters.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: removes, May: anyWay},
		{Scenario: "gc-pause", Must: expect.All(removes, expect.Limits(bothWrite)), May: anyWay},
		{Scenario: "two-step-release", Must: expect.All(removes, expect.Limits(bothWrite)), May: anyWay},
		{Scenario: "holder-crash", Settings: expect.Set("clients=3", "delays=1"), Must: expect.Faults(checker.MutualExclusion, checker.OwnerOnlyRelease), May: anyWay, Reason: "Two of three clients have to be there when the first one's lease ends; a late segment makes that likely, and without one it takes thousands of schedules."},
		{Scenario: "clock-skew", Must: expect.All(removes, bothWrite), May: anyWay},
		{Scenario: "lost-reply", Must: removes, May: anyWay},
		{Scenario: "late-reply", Must: expect.All(removes, bothWrite), May: anyWay},
		{Scenario: "late-request", Must: removes, May: anyWay},
		{Scenario: "hung-node", Must: expect.All(removes, bothWrite), May: anyWay},
		{Scenario: "partition", Must: expect.All(removes, expect.Limits(bothWrite)), May: anyWay},
		{Scenario: "node-restart", Must: expect.All(removes, bothWrite), May: anyWay},
		{Scenario: "cancel", Must: removes, May: expect.All(anyWay, leftKey)},
		{Scenario: "watchdog-late", Must: removes, May: expect.All(leftKey, anyWay), Vacuous: true, Reason: neverRunsOut},
		{Scenario: "lost-wakeup", Must: removes, May: anyWay},
	}},
	{Lock: "setnx-getset", Reason: "Whose clock is ahead takes over what has not ended; GET, compare, DEL may delete what was taken over in between, or has an end of the same millisecond. That the loser's GETSET changes the winner's value, who then cannot release it, no property forbids: it ends by itself.", In: likeGetSet},
	{Lock: "setnx-getset-nil", Reason: "It is setnx-getset, and locks itself out where the lease that it takes over was released just before its GETSET: only until that ends, which no property forbids.", In: likeGetSet},
	{Lock: "setnx-getset-as-printed", Reason: "Its leases end a thousand times too early, by clocks that have nothing to do with each other, and its release does not tell: it needs no fault. That an Acquire which throws has taken the lock is over as soon as its lease, and that its record is one for all locks takes two of them to see.", In: everywhere(expect.All(bothWrite, expect.Faults(checker.TruthfulRelease)), expect.All(removes, stuck, leftKey, anyWay),
		expect.Expectation{Scenario: "holder-crash", Must: expect.All(bothWrite, expect.Faults(checker.TruthfulRelease), stuck), May: expect.All(removes, leftKey, anyWay), Reason: "Whose machine has been up for less time than the dead holder's does not see its lease end."})},
	{Lock: "setpx-del", Reason: "A release that comes when the lease has ended, or that is sent twice, deletes whoever's key there is.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: removes, May: anyWay},
		{Scenario: "gc-pause", Must: expect.Limits(blindRelease), May: anyWay},
		{Scenario: "two-step-release", Must: expect.Limits(blindRelease), May: expect.All(anyWay, leftKey), Reason: cleansUpNothing},
		{Scenario: "server-clock-jump", Must: expect.Limits(blindRelease), May: anyWay},
		{Scenario: "lost-reply", Must: blindRelease},
		{Scenario: "late-reply", Must: expect.All(removes, lateTwo), May: anyWay},
		{Scenario: "late-request", Must: removes, May: expect.All(anyWay, leftKey), Reason: cleansUpNothing},
		{Scenario: "hung-node", Must: removes, May: anyWay},
		{Scenario: "partition", Must: expect.All(removes, expect.Limits(bothWrite)), May: anyWay},
		{Scenario: "node-restart", Must: blindRelease, May: anyWay},
		{Scenario: "cancel", Must: removes, May: expect.All(blindRelease, leftKey), Reason: "A second release deletes the key of whoever has it by then."},
		{Scenario: "watchdog-late", Must: removes, May: anyWay},
		{Scenario: "lost-wakeup", Must: blindRelease},
	}},
	{Lock: "setpx-twostep", Reason: "Between its look and its DEL the lease may end and the key become another's; all else is setpx.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(bothWrite), May: anyWay},
		{Scenario: "gc-pause", Must: expect.Limits(bothWrite), May: anyWay},
		{Scenario: "two-step-release", Must: expect.All(removes, expect.Limits(bothWrite)), May: expect.All(anyWay, leftKey), Reason: cleansUpNothing},
		{Scenario: "partition", Must: expect.Limits(bothWrite), May: anyWay},
		{Scenario: "node-restart", Must: expect.Limits(bothWrite), May: anyWay},
		{Scenario: "server-clock-jump", Must: expect.Limits(bothWrite), May: anyWay},
		{Scenario: "lost-reply", Must: removes, May: anyWay},
		{Scenario: "late-reply", Must: expect.Limits(bothWrite), May: anyWay},
		{Scenario: "late-request", Must: removes, May: expect.All(anyWay, leftKey), Reason: cleansUpNothing},
		{Scenario: "hung-node", May: anyWay},
		{Scenario: "cancel", Must: leftKey, May: anyWay},
		{Scenario: "watchdog-late", Must: removes, May: anyWay},
		{Scenario: "lost-wakeup", Must: removes, May: anyWay},
	}},
	{Lock: "setpx-void-as-printed", Reason: "Who has waited in vain goes on as if he held the lock: it needs no fault. The connection that he does not give back nobody misses here, of so few.", In: everywhere(lateTwo, expect.All(leftKey, expect.Limits(bothWrite)))},
	{Lock: "setpx-d-as-printed", Reason: "Its lease is as long as its caller will wait, which is shorter than he works: it needs no fault, unless leases are a minute and an eighth of that will do.", In: slices.DeleteFunc(everywhere(bothWrite, expect.All(leftKey, tooLate, expect.Limits(bothWrite))), func(e expect.Expectation) bool {
		return e.Scenario == "lost-wakeup"
	})},
	{Lock: "setpx-spin-release-as-printed", Reason: "Its release is sound and does not return once the lease has ended, so that its runs come to no end and are cut; in acquiring, and where nothing ends a lease, it is setpx.", In: []expect.Expectation{
		{Scenario: "failover-loss", Must: expect.Limits(bothWrite), Undecided: true},
		{Scenario: "gc-pause", Must: expect.Limits(bothWrite), Undecided: true},
		{Scenario: "two-step-release", Must: expect.Limits(bothWrite), May: expect.All(lateTwo, leftKey), Undecided: true, Reason: cleansUpNothing},
		{Scenario: "partition", Must: expect.Limits(bothWrite), May: lateTwo, Undecided: true},
		{Scenario: "node-restart", Must: expect.Limits(bothWrite), Undecided: true},
		{Scenario: "server-clock-jump", Must: expect.Limits(bothWrite), Undecided: true},
		{Scenario: "lost-reply", Undecided: true, Reason: "Its DEL has been done, the answer is lost, and 0 is the answer ever after."},
		{Scenario: "late-reply", Must: lateTwo, May: expect.Limits(bothWrite), Undecided: true, Reason: looksAtNoClock},
		{Scenario: "late-request", May: leftKey, Undecided: true, Reason: cleansUpNothing},
		{Scenario: "hung-node", Undecided: true},
		{Scenario: "cancel", Must: leftKey, Undecided: true},
		{Scenario: "watchdog-late", Must: tooLate, May: expect.Either(bothWrite), Undecided: true, Reason: notRenewed},
		{Scenario: "lost-wakeup", Undecided: true},
	}},
}

// anyWay is what a release may cost that does not look, or a lock that goes by what
// it has not got: as a fault of it, and as a limit where the store forgets or the
// holder is held up as well.
var anyWay = expect.Either(blindRelease, tooLate)

// likeGetSet is what is expected of a takeover by GETSET.
var likeGetSet = []expect.Expectation{
	{Scenario: "failover-loss", Must: expect.Limits(bothWrite), May: anyWay},
	{Scenario: "gc-pause", Must: expect.Limits(bothWrite), May: anyWay},
	{Scenario: "two-step-release", Must: expect.All(removes, expect.Limits(bothWrite)), May: expect.All(anyWay, leftKey), Reason: cleansUpNothing},
	{Scenario: "clock-skew", Must: bothWrite, May: anyWay},
	{Scenario: "lost-reply", Must: removes, May: anyWay},
	{Scenario: "late-reply", Must: expect.All(removes, expect.Limits(bothWrite)), May: anyWay},
	{Scenario: "late-request", Must: removes, May: expect.All(anyWay, leftKey), Reason: cleansUpNothing},
	{Scenario: "hung-node", Must: expect.All(removes, bothWrite), May: anyWay},
	{Scenario: "partition", Must: expect.Limits(bothWrite), May: anyWay},
	{Scenario: "node-restart", Must: expect.Limits(bothWrite), May: anyWay},
	{Scenario: "cancel", Must: leftKey, May: anyWay},
	{Scenario: "watchdog-late", Must: expect.All(removes, bothWrite), May: expect.All(leftKey, anyWay), Vacuous: true, Reason: neverRunsOut},
	{Scenario: "lost-wakeup", Must: removes, May: expect.All(anyWay, stuck), Reason: "A winner whose value the loser has changed cannot release, and is in the way for another lease."},
}

// neverRunsOut is why nothing can run out in the store before its holder gives it up.
const neverRunsOut = "Its key has no expiry in the store."

// everywhere is the same in every scenario, of a lock that needs no fault, but in
// some. Where no fault strikes there are no limits.
func everywhere(must, may []model.Violation, but ...expect.Expectation) (list []expect.Expectation) {
	list = but
	for _, s := range scenarios.All() {
		if s.ID != scenarios.Storm && !slices.ContainsFunc(but, func(e expect.Expectation) bool { return e.Scenario == s.ID }) {
			e := expect.Expectation{Scenario: s.ID, Must: must, May: may}
			if s.ID == "contention" {
				e.May = slices.DeleteFunc(slices.Clone(may), func(v model.Violation) bool { return v.Limit })
			}
			list = append(list, e)
		}
	}
	return list
}
