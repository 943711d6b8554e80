package scenarios

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
)

// flawedExpectations are those of the locks that are here to be caught.
var flawedExpectations = []Expectations{
	{"setnx", "Its key has no expiry, so a holder that dies, or an Acquire that is asked twice because its answer was lost, locks everybody out; and its DEL looks at nobody's value. No clock and no pause ends its lease, since it has none.", []Expectation{
		{Scenario: "failover-loss", Must: stuck, May: anyWay},
		{Scenario: "two-step-release", Must: all(stuck, removes), May: all(leftKey, anyWay)},
		{Scenario: "holder-crash", Must: stuck},
		{Scenario: "lost-reply", Must: all(stuck, removes), May: all(blindRelease, leftKey)},
		{Scenario: "late-reply", Must: stuck, May: all(leftKey, anyWay)},
		{Scenario: "late-request", Must: removes, May: all(stuck, leftKey, anyWay)},
		{Scenario: "hung-node", Must: stuck, May: all(leftKey, anyWay)},
		{Scenario: "partition", Must: all(stuck, removes), May: all(leftKey, anyWay)},
		{Scenario: "node-restart", Must: blindRelease, May: all(stuck, anyWay)},
		{Scenario: "cancel", Must: all(removes, stuck), May: all(blindRelease, leftKey), Reason: "A second release deletes the key of whoever has it by then; a cancelled Acquire leaves it for ever."},
		{Scenario: "watchdog-late", Must: stuck, May: all(leftKey, anyWay), Vacuous: true, Reason: neverRunsOut},
		{Scenario: "lost-wakeup", Must: all(stuck, removes), May: all(blindRelease, leftKey)},
	}},
	{"setnx-timestamp-del", "Two clients see the dead holder's lease ended, and the second one's DEL removes the key that the first has just set; and what has ended is decided by each client's own clock, so that no clock of the store matters.", []Expectation{
		{Scenario: "failover-loss", Must: removes, May: anyWay},
		{Scenario: "gc-pause", Must: all(removes, limits(bothWrite)), May: anyWay},
		{Scenario: "two-step-release", Must: all(removes, limits(bothWrite)), May: anyWay},
		{Scenario: "holder-crash", Settings: set("clients=3", "delays=1"), Must: asFaults(checker.MutualExclusion, checker.OwnerOnlyRelease), May: anyWay, Reason: "Two of three clients have to be there when the first one's lease ends; a late segment makes that likely, and without one it takes thousands of schedules."},
		{Scenario: "clock-skew", Must: all(removes, bothWrite), May: anyWay},
		{Scenario: "lost-reply", Must: removes, May: anyWay},
		{Scenario: "late-reply", Must: all(removes, bothWrite), May: anyWay},
		{Scenario: "late-request", Must: removes, May: anyWay},
		{Scenario: "hung-node", Must: all(removes, bothWrite), May: anyWay},
		{Scenario: "partition", Must: all(removes, limits(bothWrite)), May: anyWay},
		{Scenario: "node-restart", Must: all(removes, bothWrite), May: anyWay},
		{Scenario: "cancel", Must: removes, May: all(anyWay, leftKey)},
		{Scenario: "watchdog-late", Must: removes, May: all(leftKey, anyWay), Vacuous: true, Reason: neverRunsOut},
		{Scenario: "lost-wakeup", Must: removes, May: anyWay},
	}},
	{"setnx-getset", "Whose clock is ahead takes over what has not ended; GET, compare, DEL may delete what was taken over in between, or has an end of the same millisecond. That the loser's GETSET changes the winner's value, who then cannot release it, no property forbids: it ends by itself.", likeGetSet},
	{"setnx-getset-nil", "It is setnx-getset, and locks itself out where the lease that it takes over was released just before its GETSET: only until that ends, which no property forbids.", likeGetSet},
	{"setnx-getset-as-printed", "Its leases end a thousand times too early, by clocks that have nothing to do with each other, and its release does not tell: it needs no fault. That an Acquire which throws has taken the lock is over as soon as its lease, and that its record is one for all locks takes two of them to see.", everywhere(all(bothWrite, asFaults(checker.TruthfulRelease)), all(removes, stuck, leftKey, anyWay),
		Expectation{Scenario: "holder-crash", Must: all(bothWrite, asFaults(checker.TruthfulRelease), stuck), May: all(removes, leftKey, anyWay), Reason: "Whose machine has been up for less time than the dead holder's does not see its lease end."})},
	{"setpx-del", "A release that comes when the lease has ended, or that is sent twice, deletes whoever's key there is.", []Expectation{
		{Scenario: "failover-loss", Must: removes, May: anyWay},
		{Scenario: "gc-pause", Must: limits(blindRelease), May: anyWay},
		{Scenario: "two-step-release", Must: limits(blindRelease), May: anyWay},
		{Scenario: "server-clock-jump", Must: limits(blindRelease), May: anyWay},
		{Scenario: "lost-reply", Must: blindRelease},
		{Scenario: "late-reply", Must: all(removes, lateTwo), May: anyWay},
		{Scenario: "late-request", Must: removes, May: anyWay},
		{Scenario: "hung-node", Must: removes, May: anyWay},
		{Scenario: "partition", Must: all(removes, limits(bothWrite)), May: anyWay},
		{Scenario: "node-restart", Must: blindRelease, May: anyWay},
		{Scenario: "cancel", Must: removes, May: all(blindRelease, leftKey), Reason: "A second release deletes the key of whoever has it by then."},
		{Scenario: "watchdog-late", Must: removes, May: anyWay},
		{Scenario: "lost-wakeup", Must: blindRelease},
	}},
	{"setpx-twostep", "Between its look and its DEL the lease may end and the key become another's; all else is setpx.", []Expectation{
		{Scenario: "failover-loss", Must: limits(bothWrite), May: anyWay},
		{Scenario: "gc-pause", Must: limits(bothWrite), May: anyWay},
		{Scenario: "two-step-release", Must: all(removes, limits(bothWrite)), May: anyWay},
		{Scenario: "partition", Must: limits(bothWrite), May: anyWay},
		{Scenario: "node-restart", Must: limits(bothWrite), May: anyWay},
		{Scenario: "server-clock-jump", Must: limits(bothWrite), May: anyWay},
		{Scenario: "lost-reply", Must: removes, May: anyWay},
		{Scenario: "late-reply", Must: limits(bothWrite), May: anyWay},
		{Scenario: "late-request", Must: removes, May: anyWay},
		{Scenario: "hung-node", May: anyWay},
		{Scenario: "cancel", Must: leftKey, May: anyWay},
		{Scenario: "watchdog-late", Must: removes, May: anyWay},
		{Scenario: "lost-wakeup", Must: removes, May: anyWay},
	}},
	{"setpx-void-as-printed", "Who has waited in vain goes on as if he held the lock: it needs no fault. The connection that he does not give back nobody misses here, of so few.", everywhere(lateTwo, all(leftKey, limits(bothWrite)))},
	{"setpx-d-as-printed", "Its lease is as long as its caller will wait, which is shorter than he works: it needs no fault, unless leases are a minute and an eighth of that will do.", slices.DeleteFunc(everywhere(bothWrite, all(leftKey, tooLate, limits(bothWrite))), func(e Expectation) bool {
		return e.Scenario == lostWakeup.ID
	})},
	{"setpx-spin-release-as-printed", "Its release is sound and does not return once the lease has ended, so that its runs come to no end and are cut; in acquiring, and where nothing ends a lease, it is setpx.", []Expectation{
		{Scenario: "failover-loss", Must: limits(bothWrite), Undecided: true},
		{Scenario: "gc-pause", Must: limits(bothWrite), Undecided: true},
		{Scenario: "two-step-release", Must: limits(bothWrite), May: all(lateTwo, leftKey), Undecided: true, Reason: cleansUpNothing},
		{Scenario: "partition", Must: limits(bothWrite), May: lateTwo, Undecided: true},
		{Scenario: "node-restart", Must: limits(bothWrite), Undecided: true},
		{Scenario: "server-clock-jump", Must: limits(bothWrite), Undecided: true},
		{Scenario: "lost-reply", Undecided: true, Reason: "Its DEL has been done, the answer is lost, and 0 is the answer ever after."},
		{Scenario: "late-reply", Must: lateTwo, May: limits(bothWrite), Undecided: true, Reason: looksAtNoClock},
		{Scenario: "late-request", Undecided: true},
		{Scenario: "hung-node", Undecided: true},
		{Scenario: "cancel", Must: leftKey, Undecided: true},
		{Scenario: "watchdog-late", Must: tooLate, May: eitherClass(bothWrite), Undecided: true, Reason: notRenewed},
		{Scenario: "lost-wakeup", Undecided: true},
	}},
}

// anyWay is what a release may cost that does not look, or a lock that goes by what
// it has not got: as a fault of it, and as a limit where the store forgets or the
// holder is held up as well.
var anyWay = eitherClass(blindRelease, tooLate)

// likeGetSet is what is expected of a takeover by GETSET.
var likeGetSet = []Expectation{
	{Scenario: "failover-loss", Must: limits(bothWrite), May: anyWay},
	{Scenario: "gc-pause", Must: limits(bothWrite), May: anyWay},
	{Scenario: "two-step-release", Must: all(removes, limits(bothWrite)), May: anyWay},
	{Scenario: "clock-skew", Must: bothWrite, May: anyWay},
	{Scenario: "lost-reply", Must: removes, May: anyWay},
	{Scenario: "late-reply", Must: all(removes, limits(bothWrite)), May: anyWay},
	{Scenario: "late-request", Must: removes, May: anyWay},
	{Scenario: "hung-node", Must: all(removes, bothWrite), May: anyWay},
	{Scenario: "partition", Must: limits(bothWrite), May: anyWay},
	{Scenario: "node-restart", Must: limits(bothWrite), May: anyWay},
	{Scenario: "cancel", Must: leftKey, May: anyWay},
	{Scenario: "watchdog-late", Must: all(removes, bothWrite), May: all(leftKey, anyWay), Vacuous: true, Reason: neverRunsOut},
	{Scenario: "lost-wakeup", Must: removes, May: all(anyWay, stuck), Reason: "A winner whose value the loser has changed cannot release, and is in the way for another lease."},
}

// neverRunsOut is why nothing can run out in the store before its holder gives it up.
const neverRunsOut = "Its key has no expiry in the store."

// everywhere is the same in every scenario, of a lock that needs no fault, but in
// some. Where no fault strikes there are no limits.
func everywhere(must, may []model.Violation, but ...Expectation) (list []Expectation) {
	list = but
	for _, s := range All() {
		if s != storm && !slices.ContainsFunc(but, func(e Expectation) bool { return e.Scenario == s.ID }) {
			e := Expectation{Scenario: s.ID, Must: must, May: may}
			if s == contention {
				e.May = slices.DeleteFunc(slices.Clone(may), func(v model.Violation) bool { return v.Limit })
			}
			list = append(list, e)
		}
	}
	return list
}
