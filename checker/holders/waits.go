package holders

import "github.com/lockpick-dev/lockpick/model"

// Wait is a time during which one thread wanted the lock and did not have it: from the call of an Acquire, over Acquires
// that failed or stayed unknown, to the return of one that succeeded.
type Wait struct {
	First, Last *model.Operation
	// Over is when it ended; zero if it did not.
	Over model.Stamp
}

// Waits returns all waits, in the order in which they began, except those during which the client crashed.
func (hs *Holders) Waits() []Wait {
	type thread struct {
		client string
		thread int
	}
	var waits []Wait
	open := make(map[thread]int) // the index of the wait that is going on
	for i := range hs.h.Operations {
		op := &hs.h.Operations[i]
		if !op.Kind.Waits() {
			continue
		}
		key := thread{op.Client, op.Thread}
		at, waiting := open[key]
		if waiting && hs.diedBetween(waits[at].First, op.Call.Seq) {
			waiting = false // an open wait is excused below
		}
		if !waiting {
			at = len(waits)
			waits = append(waits, Wait{First: op})
			open[key] = at
		}
		waits[at].Last = op
		if hs.served(op) {
			waits[at].Over = op.Return
			delete(open, key)
		}
	}
	kept := waits[:0]
	for _, w := range waits {
		if w.Over.Happened() || !hs.CrashAfter(w.First.Client, w.First.Call.Seq).Happened() {
			kept = append(kept, w)
		}
	}
	return kept
}

// diedBetween reports whether the operation's client crashed after its call
// and before the event.
func (hs *Holders) diedBetween(op *model.Operation, seq int64) bool {
	crash := hs.CrashAfter(op.Client, op.Call.Seq)
	return crash.Happened() && crash.Seq < seq
}

// served reports whether the Acquire got an answer that ends its wait. A refusal by an empty stock counts.
func (hs *Holders) served(op *model.Operation) bool {
	if !op.Return.Happened() {
		return false
	}
	said := hs.h.CallOf(op.ID)
	return op.Result == model.OK || said != nil && said.Refused
}
