package model

// Cause is the cause of a violation, as the history shows it.
type Cause struct {
	// ID is short and stable, such as "holder-stopped".
	ID string
	// Limit is set if no lease could have prevented such a violation; all others
	// are faults.
	Limit bool
	// Text says in one line what happened.
	Text string
}

// Panicked is the cause of an Undecided verdict on a property whose judging panicked. It is
// no cause of violations.
const Panicked = "panicked"

var causes = [...]Cause{
	{"store-forgot", true, "the store had granted the lock and forgot it, in a failover, a partition or a restart"},
	{"two-masters", true, "the store granted the lock on a node in whose place another had been elected before"},
	{"migration", true, "two nodes of the store granted the lock while its records moved from one to the other"},
	{"store-clock-jumped", true, "the store ended the lease before its time, as when its clock jumps"},
	{"client-clock-off", true, "a client's clock was off, and by it the lease had not ended, or had ended too early"},
	{"holder-stopped", true, "the holder's process was stopped while its lease ended as granted"},
	{"holder-late", true, "a message from or to the holder was late while its lease ended as granted"},
	{"holder-cut-off", true, "the holder was cut off from others while its lease ended as granted"},
	{"never-granted", false, "no grant of the store covers the claim"},
	{"acquired-too-late", false, "Acquire reported success after the lease that it granted had ended, though its process was running"},
	{"extended-too-late", false, "Extend reported success after the lease that it granted had ended, though its process was running"},
	{"claimed-longer", false, "the lease claimed to be valid for longer than the store had granted it"},
	{"held-too-long", false, "the lease ended as granted while nothing held its holder up: it was too short, or was not renewed in time"},
	{"used-up", false, "most of the lease had passed when Acquire returned, since it was granted before the wait, and nothing renewed it"},
	{"not-told", false, "a lease that renews itself, or tells of its loss, ended, and its running holder was not told soon"},
	{"removed-by-another", false, "a request of another removed or overwrote the live lock"},
	{"stale-read", false, "a client went by what a follower had of the lock, which was not what the store had"},
	{"removed-by-itself", false, "a request of the same acquisition removed the lock while it was held"},
	{"wrong-shard", false, "the keys of one lock are in several parts of the store, which refuses requests of both, and moves or loses each by itself"},
	{"granted-to-both", false, "the store had given the lock to both at once"},
	{"token-apart", false, "the token was drawn apart from the grant"},
	{"untrue", false, "an answer contradicts the store"},
	{"left-behind", false, "an operation that is over left the lock behind"},
	{"not-served", false, "a waiting client did not get the lock though nothing blocked it any more"},
	{"not-woken", false, "a client that waited was not woken by the release"},
	{"out-of-turn", false, "the lock was granted to a client that had come later"},
	{"spins", false, "a client that waited asked the store without a pause"},
	{"waits-in-vain", false, "a client waited on when its record had ended with its session"},
	{"asks-in-vain", false, "a thread asked the store for a lock that another thread of its process had"},
	{"waits-for-holder", false, "a call that must not wait waited for the holder"},
	{"fails-needlessly", false, "a client did not get the lock though nobody had it or asked for it"},
	{"keeps-too-much", false, "a process kept more for its locks than they need"},
	{"ignored-context", false, "an operation kept waiting after its context had ended"},
	{"not-established", false, "the history shows no cause that makes it a limit"},
}

// Causes lists all causes, limits first.
func Causes() []Cause { return causes[:] }

// CauseOf returns the cause with the given id, without text if the id is unknown.
func CauseOf(id string) Cause {
	for _, c := range causes {
		if c.ID == id {
			return c
		}
	}
	return Cause{ID: id}
}
