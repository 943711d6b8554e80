package checker

import "github.com/lockpick-dev/lockpick/model"

// The ids of the causes of violations ([model.Verdict].Cause). Limits first: what
// no lease could have prevented.
const (
	StoreForgot      = "store-forgot"
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
	NotTold          = "not-told"
	RemovedByAnother = "removed-by-another"
	RemovedByItself  = "removed-by-itself"
	GrantedToBoth    = "granted-to-both"
	TokenApart       = "token-apart"
	Untrue           = "untrue"
	LeftBehind       = "left-behind"
	NotServed        = "not-served"
	NotWoken         = "not-woken"
	OutOfTurn        = "out-of-turn"
	IgnoredContext   = "ignored-context"
	NotEstablished   = "not-established"
)

// Cause is a reason for violations, as the history shows it.
type Cause struct {
	// ID is short and stays, such as "holder-stopped".
	ID string
	// Limit is set if no lease could have prevented such a violation; all others
	// are faults.
	Limit bool
	// Text says in one line what happened.
	Text string
}

var causes = [...]Cause{
	{StoreForgot, true, "the store had granted the lock and forgot it, in a failover, a partition or a restart"},
	{StoreClockJumped, true, "the store's clock jumped and ended the lease before its time"},
	{ClientClockOff, true, "the client's clock was off, and by it the lease had not ended"},
	{HolderStopped, true, "the holder's process was stopped while its lease ended as granted"},
	{HolderLate, true, "what the holder sent or was to hear was late while its lease ended as granted"},
	{HolderCutOff, true, "the holder was cut off from others while its lease ended as granted"},
	{NeverGranted, false, "no grant of the store covers the claim"},
	{AcquiredTooLate, false, "Acquire reported success after the lease that it granted had ended, of a process that was running"},
	{ExtendedTooLate, false, "Extend reported success after the lease that it granted had ended, of a process that was running"},
	{ClaimedLonger, false, "the lease claimed to be valid for longer than the store had granted it"},
	{HeldTooLong, false, "the lease ended as granted while nothing held its holder up: it was too short, or was not renewed in time"},
	{NotTold, false, "a lease that renews itself, or tells of its loss, ended, and its running holder was not told soon"},
	{RemovedByAnother, false, "a request of another removed or overwrote the live lock"},
	{RemovedByItself, false, "a request of the same acquisition removed the lock while it was held"},
	{GrantedToBoth, false, "the store had given the lock to both at once"},
	{TokenApart, false, "the token was drawn apart from the grant"},
	{Untrue, false, "an answer says what was not so in the store"},
	{LeftBehind, false, "an operation that is over left a key behind"},
	{NotServed, false, "whoever waited was not served though nothing was in the way any more"},
	{NotWoken, false, "whoever waited was not woken by the release"},
	{OutOfTurn, false, "the lock was given to somebody before his turn"},
	{IgnoredContext, false, "the end of a context was not heeded"},
	{NotEstablished, false, "the history does not show what no lease could have prevented"},
}

// Causes are all that a violation can have, limits first.
func Causes() []Cause { return causes[:] }

// CauseOf returns the cause with the given id; one without text if there is none.
func CauseOf(id string) Cause {
	for _, c := range causes {
		if c.ID == id {
			return c
		}
	}
	return Cause{ID: id}
}

// with returns the verdict with its cause, which says whether it is a limit.
func with(v model.Verdict, cause string) model.Verdict {
	if v.Status == model.Violated {
		v.Cause, v.Limit = cause, CauseOf(cause).Limit
	}
	return v
}

// worst keeps, of the violations of a property, the first that is a fault, or else
// the first.
type worst struct {
	verdict model.Verdict
	any     bool
}

// add takes a violation into account, and reports whether no other can be worse.
func (w *worst) add(v model.Verdict) (enough bool) {
	if !w.any || w.verdict.Limit && !v.Limit {
		w.verdict, w.any = v, true
	}
	return !w.verdict.Limit
}

// or is the worst violation, or the verdict if there was none.
func (w *worst) or(v model.Verdict) model.Verdict {
	if w.any {
		return w.verdict
	}
	return v
}

// graver returns the cause that decides where several come together: a fault that
// is certain, or else a limit, or else that nothing is established. Of two alike it
// is the first; the empty cause is none.
func graver(a, b string) string {
	rank := func(cause string) int {
		switch {
		case cause == "":
			return 0
		case cause == NotEstablished:
			return 1
		case CauseOf(cause).Limit:
			return 2
		}
		return 3
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}
