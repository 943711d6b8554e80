package builtin

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

var (
	// harm is two holders at once, and what may follow from that.
	overlap = expect.Faults(checker.MutualExclusion)
	harm    = expect.Faults(checker.MutualExclusion, checker.OwnerOnlyRelease, checker.NoLostUpdate, checker.LeaseHonesty)
	// removed is a release, or an acquisition, that takes the lock from its holder, and reports success.
	removed = expect.Faults(checker.OwnerOnlyRelease, checker.LeaseHonesty, checker.TruthfulRelease)
	// overrun is an access that takes effect when the holder's claim is over.
	overrun = expect.Limits(expect.Faults(checker.Overrun))
	// leftLease is a Lease that a cancelled Acquire has taken, and that others wait for.
	leftLease = expect.Faults(checker.NoOrphan)
	// fastClock is what follows if the clock of a client that takes a Lease over runs fast.
	fastClock = expect.Limits(expect.All(harm, expect.Faults(checker.TruthfulRelease)))
)

// Families are the locks with what is expected of them, in the order of [Locks].
func Families() []expect.Family {
	return []expect.Family{
		{Title: "Kubernetes: a Lease", Expectations: []expect.Expectations{ofLease, ofCancelled, ofFenced}},
		{Title: "Kubernetes, flawed as often written", Expectations: []expect.Expectations{ofNaive, ofUnseen}},
	}
}

// sound is expected of the locks that compare versions.
var sound = []expect.Expectation{
	{Scenario: "gc-pause", May: overrun},
	{Scenario: "two-step-release", May: overrun},
	{Scenario: "clock-skew", May: expect.All(overrun, fastClock), Reason: "The client that takes a Lease over measures by its own clock, which may run fast."},
	{Scenario: "late-request", May: overrun},
	{Scenario: "hung-node", May: overrun},
	{Scenario: "watchdog-late", May: overrun, Vacuous: true, Reason: "A renewal that is not answered is repeated on another connection, so three must be late."},
	{Scenario: "stale-follower", May: overrun},
	{Scenario: "election", May: overrun},
	{Scenario: scenarios.Storm, May: expect.All(overrun, fastClock)},
}

// ofLease is expected of kubelocks.Lease.
var ofLease = expect.Expectations{
	Lock: "kube-lease",
	Reason: "Every write names the version that the client has seen, and a claim rests on when a request was sent. So " +
		"a lease that ends is no harm, but for a holder that is stopped or late between its last look and the access. " +
		"A cancelled Acquire may leave a Lease.",
	In: slices.Concat(sound, []expect.Expectation{{Scenario: "cancel", Must: leftLease}}),
}

// ofCancelled is expected of kubelocks.CancelledLease.
var ofCancelled = expect.Expectations{
	Lock:   "kube-lease-release-on-cancel",
	Reason: "As kube-lease; but a cancelled Acquire leaves no Lease.",
	In:     sound,
}

// ofFenced is expected of kubelocks.FencedLease.
var ofFenced = expect.Expectations{
	Lock:   "kube-lease-fenced",
	Reason: "As kube-lease; an access that is late is refused by a resource that has seen a later token.",
	In:     ofLease.In,
}

// ofNaive is expected of flawed.NaiveLease.
var ofNaive = expect.Expectations{
	Lock: "kube-lease-naive",
	Reason: "A patch without a version applies to whatever Lease there is: two clients that find it free both take it, and " +
		"each renews and releases what is the other's.",
	In: naive(),
}

// naive is what follows everywhere: nothing needs to fail.
func naive() (list []expect.Expectation) {
	for _, s := range []string{
		"contention", "failover-loss", "gc-pause", "two-step-release", "holder-crash", "clock-skew", "server-clock-jump", "lost-reply", "late-reply",
		"late-request", "hung-node", "partition", "node-restart", "cancel", "lost-wakeup", "watchdog-late", "stale-follower", "election", "server-errors",
	} {
		e := expect.Expectation{Scenario: s, Must: overlap, May: expect.All(harm, removed, overrun, leftLease, expect.Limits(harm))}
		list = append(list, e)
	}
	return list
}

// ofUnseen is expected of flawed.UnseenRelease.
var ofUnseen = expect.Expectations{
	Lock: "kube-lease-successor-released",
	Reason: "Its release reads the Lease and writes it without a holder, and does not look at who had it: a holder that was late, or that " +
		"releases once more, releases the lock of its successor. A release that fails is not repeated.",
	In: slices.Concat(unseen(), []expect.Expectation{
		{Scenario: "gc-pause", Must: expect.Faults(checker.TruthfulRelease), May: expect.All(harm, removed, overrun)},
		{Scenario: "two-step-release", May: expect.All(harm, removed, overrun)},
		{Scenario: "clock-skew", May: expect.All(overrun, fastClock, removed)},
		{Scenario: "cancel", Must: expect.All(overlap, removed, leftLease), May: harm},
		{Scenario: "server-errors", Must: leftLease, May: expect.All(harm, removed, overrun)},
		{Scenario: scenarios.Storm, May: expect.All(harm, removed, overrun, fastClock, leftLease)},
	}),
}

// unseen is what may follow if requests are late or lost: the release of another's Lease, or one that is not repeated.
func unseen() (list []expect.Expectation) {
	for _, s := range []string{
		"failover-loss", "holder-crash", "lost-reply", "late-reply", "late-request", "hung-node", "partition", "node-restart", "watchdog-late", "lost-wakeup", "stale-follower", "election",
	} {
		list = append(list, expect.Expectation{Scenario: s, May: expect.All(harm, removed, overrun, leftLease), Vacuous: s == "watchdog-late"})
	}
	return list
}
