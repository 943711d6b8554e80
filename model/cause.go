package model

// Cause is the cause of a violation, as the history shows it.
type Cause struct {
	// ID is short and stable, such as "holder-stopped".
	ID string
	// Limit is set if no lease could have prevented the violation. Otherwise it is a
	// fault.
	Limit bool
	// Text says in one line what happened.
	Text string
}

// Panicked is the cause of an [Undecided] verdict on a property whose check panicked. No
// violation has it.
const Panicked = "panicked"

// The ids of the causes of violations ([Verdict].Cause), which [Causes] describes. Limits, which no lease could have
// prevented, come first.
const (
	StoreForgot      = "store-forgot"
	TwoMasters       = "two-masters"
	Migration        = "migration"
	StoreClockJumped = "store-clock-jumped"
	ClientClockOff   = "client-clock-off"
	HolderStopped    = "holder-stopped"
	HolderLate       = "holder-late"
	HolderCutOff     = "holder-cut-off"

	NeverGranted     = "never-granted"
	AcquiredTooLate  = "acquired-too-late"
	ExtendedTooLate  = "extended-too-late"
	ClaimedLonger    = "claimed-longer"
	HeldTooLong      = "held-too-long"
	UsedUp           = "used-up"
	NotTold          = "not-told"
	RemovedByAnother = "removed-by-another"
	StaleRead        = "stale-read"
	RemovedByItself  = "removed-by-itself"
	WrongShard       = "wrong-shard"
	GrantedToBoth    = "granted-to-both"
	TokenApart       = "token-apart"
	Untrue           = "untrue"
	LeftBehind       = "left-behind"
	NotServed        = "not-served"
	NotWoken         = "not-woken"
	OutOfTurn        = "out-of-turn"
	Spins            = "spins"
	WaitsInVain      = "waits-in-vain"
	AsksInVain       = "asks-in-vain"
	WaitsForHolder   = "waits-for-holder"
	FailsNeedlessly  = "fails-needlessly"
	KeepsTooMuch     = "keeps-too-much"
	IgnoredContext   = "ignored-context"
	NotEstablished   = "not-established"
)

var causes = [...]Cause{
	{StoreForgot, true, "the store had granted the lock and forgot it, in a failover, a partition or a restart"},
	{TwoMasters, true, "the store granted the lock on a node in whose place another had been elected before"},
	{Migration, true, "two nodes of the store granted the lock while its records moved from one to the other"},
	{StoreClockJumped, true, "the store ended the lease before its time, as when its clock jumps"},
	{ClientClockOff, true, "a client's clock was off, and by it the lease had not ended, or had ended too early"},
	{HolderStopped, true, "the holder's process was stopped while its lease ended as granted"},
	{HolderLate, true, "a message from or to the holder was late while its lease ended as granted"},
	{HolderCutOff, true, "the holder was cut off from others while its lease ended as granted"},
	{NeverGranted, false, "no grant of the store covers the claim"},
	{AcquiredTooLate, false, "Acquire reported success after the lease that it granted had ended, though its process was running"},
	{ExtendedTooLate, false, "Extend reported success after the lease that it granted had ended, though its process was running"},
	{ClaimedLonger, false, "the lease claimed to be valid for longer than the store had granted it"},
	{HeldTooLong, false, "the lease ended as granted while nothing held its holder up: it was too short, or was not renewed in time"},
	{UsedUp, false, "most of the lease had passed when Acquire returned, since it was granted before the wait, and nothing renewed it"},
	{NotTold, false, "a lease that renews itself, or tells of its loss, ended, and its running holder was not told soon"},
	{RemovedByAnother, false, "a request of another removed or overwrote the live lock"},
	{StaleRead, false, "a client went by what a follower had of the lock, which was not what the store had"},
	{RemovedByItself, false, "a request of the same acquisition removed the lock while it was held"},
	{WrongShard, false, "the keys of one lock are in several parts of the store, which refuses requests of both, and moves or loses each by itself"},
	{GrantedToBoth, false, "the store had given the lock to both at once"},
	{TokenApart, false, "the token was drawn apart from the grant"},
	{Untrue, false, "an answer contradicts the store"},
	{LeftBehind, false, "an operation that is over left the lock behind"},
	{NotServed, false, "a waiting client did not get the lock though nothing blocked it any more"},
	{NotWoken, false, "a client that waited was not woken by the release"},
	{OutOfTurn, false, "the lock was granted to a client that had come later"},
	{Spins, false, "a client that waited asked the store without a pause"},
	{WaitsInVain, false, "a client waited on when its record had ended with its session"},
	{AsksInVain, false, "a thread asked the store for a lock that another thread of its process had"},
	{WaitsForHolder, false, "a call that must not wait waited for the holder"},
	{FailsNeedlessly, false, "a client did not get the lock though nobody had it or asked for it"},
	{KeepsTooMuch, false, "a process kept more for its locks than they need"},
	{IgnoredContext, false, "an operation kept waiting after its context had ended"},
	{NotEstablished, false, "the history shows no cause that makes it a limit"},
}

// Causes lists all causes, limits first.
func Causes() []Cause { return causes[:] }

// CauseOf returns the cause with the given id. If the id is unknown, the cause has no
// text.
func CauseOf(id string) Cause {
	for _, c := range causes {
		if c.ID == id {
			return c
		}
	}
	return Cause{ID: id}
}
