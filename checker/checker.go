package checker

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Options are the inputs of judging besides the history.
type Options struct {
	// Spec is the kind of object, for one that is no mutex; [model.History].Calls
	// then are its calls. The zero Spec is a mutex.
	Spec model.Spec
	// ProgressBound is how long, once the world has healed, a client may still wait
	// for the lock. It must include legal delays: the TTL of a dead holder, the
	// queue ahead. Zero means that progress is not judged: the property is not
	// applicable.
	ProgressBound time.Duration
	// LockKeys are the keys that hold the lock, without counters and other keys
	// that it uses. Nil means that they come from the history
	// ([model.History.LockKeys]). Empty but not nil means that the lock has none.
	LockKeys []string
	// Ownership, if set, finds the holders in the records of each authority, in
	// place of LockKeys, for a lock that is more than one value under one key. If
	// it cannot read a record, properties that depend on it are undecided.
	Ownership model.Ownership
	// Queue is the key of the list of waiters, with the names that Ownership gives
	// to holders; empty if the lock promises no order.
	Queue string
	// Nodes is the number of independent nodes that have the lock's key, of which
	// the majority counts; less than 2 means that one authority has it.
	Nodes int
	// Servers are groups of nodes that may take each other's place, one for each
	// independent server. A node in no group is a server by itself.
	Servers [][]string
	// Terms are the store's nouns, for the sentences.
	Terms model.Terms
	// Drift is the time by which a lease may outlast the key in the store.
	Drift time.Duration
	// OrphanBound is how long a key that was left behind may block others. It must
	// be well under the TTL, since expiry removes the key. If it is zero, no-orphan
	// and late-orphan are not applicable.
	OrphanBound time.Duration
	// CancelBound is how long an operation whose context has ended may take with
	// no request in flight; zero means 1 s.
	CancelBound time.Duration
	// WakeupBound is how long the lock may be free while a client waits for it. If
	// it is zero, bounded-wakeup is not applicable.
	WakeupBound time.Duration
	// Recovery is how long clients that were waiting when the world healed may take
	// to notice a missed wake-up. Zero means that such waits are excused from
	// bounded-wakeup.
	Recovery time.Duration
	// SearchSteps is the number of steps of the model that the search for a
	// linearization may try; zero means 500,000. When they are used up the verdict
	// is Undecided, never Holds. It counts steps and not time, so that a verdict is
	// the same on every machine.
	SearchSteps int
}

// defaultCancelBound stands for a zero Options.CancelBound.
const defaultCancelBound = time.Second

// defaultSearchSteps stands for a zero Options.SearchSteps. It takes some tenths of
// a second, less than the watchdog of a search allows.
const defaultSearchSteps = 500_000

// The ids of the properties.
const (
	MutualExclusion  = "mutual-exclusion"
	Linearizable     = "linearizable"
	OwnerOnlyRelease = "owner-only-release"
	Fencing          = "fencing"
	NoLostUpdate     = "no-lost-update"
	Progress         = "progress"
	Overrun          = "overrun"
	LeaseHonesty     = "lease-honesty"
	TruthfulRelease  = "truthful-release"
	ReleaseDenied    = "release-denied" // weak
	TruthfulExtend   = "truthful-extend"
	NoOrphan         = "no-orphan"
	LateOrphan       = "late-orphan" // weak
	PromptCancel     = "prompt-cancel"
	BoundedWakeup    = "bounded-wakeup"
	TruthfulAcquire  = "truthful-acquire"
	TimelyLoss       = "timely-loss"
	BusyWait         = "busy-wait"  // weak
	VainWait         = "vain-wait"  // weak
	FairOrder        = "fair-order" // judged where a lock promises it
)

// property is one entry of the table that everything public is read from.
type property struct {
	id       string
	describe string
	judge    func(*judge) model.Verdict
	// weak properties are judged only when they are named.
	weak bool
	// reads is set if the property depends on who has the lock in the stores.
	reads bool
}

var properties = [...]property{
	{MutualExclusion, "no two clients claim the lock at once", (*judge).mutualExclusion, false, false},
	{Linearizable, "some order of the operations is possible with a correct mutex", (*judge).linearizable, false, false},
	{OwnerOnlyRelease, "nobody removes or overwrites a live lock of another acquisition in the store", (*judge).ownerOnlyRelease, false, true},
	{Fencing, "fencing tokens grow in the order in which the lock was granted", (*judge).fencing, false, false},
	{NoLostUpdate, "every accepted write follows from the value that its client had read", (*judge).noLostUpdate, false, false},
	{Progress, "once the world has healed, each client that waits for the lock gets it within the bound", (*judge).progress, false, false},
	{Overrun, "no access reaches the resource after its client's claim has ended", (*judge).overrun, false, false},
	{LeaseHonesty, "while a lease says that it is valid, the store has the lock for it", (*judge).leaseHonesty, false, true},
	{TimelyLoss, "the holder of a lease that renews itself, or signals its loss, is told soon after the lease has ended", (*judge).timelyLoss, false, true},
	{TruthfulAcquire, "Acquire reports success only for a lock that the store has given, and before the lease is over", (*judge).truthfulAcquire, false, true},
	{TruthfulRelease, "Release reports success only for a lock that was still the acquisition's own", (*judge).truthfulRelease, false, true},
	{ReleaseDenied, "Release does not remove its own lock and say that it was not held", (*judge).releaseDenied, true, false},
	{TruthfulExtend, "Extend reports success only for a lock that was held without a gap, and still is", (*judge).truthfulExtend, false, true},
	{NoOrphan, "an acquisition that failed or was released leaves nothing in the store that blocks others", (*judge).noOrphan, false, true},
	{LateOrphan, "a request that takes effect after its Acquire or Release, or a Release that reports an error, leaves nothing that blocks others", (*judge).lateOrphan, true, true},
	{PromptCancel, "Acquire, Extend and Release return soon after their context has ended", (*judge).promptCancel, false, false},
	{BoundedWakeup, "a client that waits for the lock gets it soon after its release, not only when it would have expired", (*judge).boundedWakeup, false, true},
	{BusyWait, "a client that waits for the lock does not ask the store again and again without a pause", (*judge).busyWait, true, false},
	{VainWait, "a client stops waiting for the lock when its record has ended with its session", (*judge).vainWait, true, false},
	{FairOrder, "clients in the lock's queue get the lock in the order in which the store saw them join", (*judge).fairOrder, true, false},
}

// IDs returns the ids of all properties, in the order in which [Check] judges
// them.
func IDs() []string {
	ids := make([]string, len(properties))
	for i := range properties {
		ids[i] = properties[i].id
	}
	return ids
}

// InOrder lists the violations with a count of at least 1, in the order of [IDs],
// for each property the fault first.
func InOrder(found map[model.Violation]int) (list []model.Violation) {
	for i := range properties {
		for _, limit := range []bool{false, true} {
			if v := (model.Violation{Property: properties[i].id, Limit: limit}); found[v] > 0 {
				list = append(list, v)
			}
		}
	}
	return list
}

// Weak reports whether the property is a weak one, which is judged only when it is
// named. Sound locks may violate it too.
func Weak(id string) bool {
	for i := range properties {
		if properties[i].id == id {
			return properties[i].weak
		}
	}
	return false
}

// Known reports whether there is a property with this id.
func Known(id string) bool { return Describe(id) != "" }

// Describe says in one line what the property requires of a lock. It is empty if
// there is no such property.
func Describe(id string) string {
	for i := range properties {
		if properties[i].id == id {
			return properties[i].describe
		}
	}
	return ""
}

// Check judges the named properties, or all but the weak ones if none is named, and
// returns one verdict for each, in the order of [IDs]. A name that is not [Known]
// gets an Undecided verdict at the end, so that a misspelt name is never taken for
// a property that holds.
//
// The history is not changed. Equal histories get equal verdicts.
func Check(h *model.History, o Options, names ...string) []model.Verdict {
	if o.SearchSteps == 0 {
		o.SearchSteps = defaultSearchSteps
	}
	if o.CancelBound == 0 {
		o.CancelBound = defaultCancelBound
	}
	j := newJudge(h, o)
	verdicts := make([]model.Verdict, 0, max(len(names), len(properties)))
	for i := range properties {
		p := &properties[i]
		if len(names) == 0 && !p.weak || slices.Contains(names, p.id) {
			v := p.judge(&j)
			if p.reads && j.unread != nil {
				v = undecided("Who has the lock could not be read: " + j.unread.Error() + ".")
			}
			if p.reads && v.Status == model.Holds && j.unsettled() {
				v = notApplicable("A request has written another's name into the lock, and it is not known whose that is.")
			}
			v.Property = p.id
			verdicts = append(verdicts, v)
		}
	}
	for i, name := range names {
		if !Known(name) && !slices.Contains(names[:i], name) {
			verdicts = append(verdicts, model.Verdict{
				Property: name,
				Status:   model.Undecided,
				Sentence: "There is no property of this name.",
			})
		}
	}
	return verdicts
}
