package checker

import "github.com/lockpick-dev/lockpick/model"

// truthfulRelease: violated when the first Release of an acquisition reports
// success though the store did not have the lock for it at any time from the
// call to the return. That a second Release reports success is no lie: it may
// mean that the lock is released.
func (j *judge) truthfulRelease() model.Verdict {
	return j.truthful(model.Release, "No Release reported success.", func(op, x *model.Operation, key string) (string, bool) {
		if j.released[x.ID] != op.ID || j.heldDuring(x, key, op.Call.Seq, op.Return.Seq) {
			return "", false
		}
		return j.who(op) + " was told that it had released the lock, which it did not hold any more", true
	})
}

// truthfulExtend: violated when Extend reports success though the acquisition
// had not had the lock without a gap since its Acquire returned, or though the
// end that the lease now claims had passed when Extend returned.
func (j *judge) truthfulExtend() model.Verdict {
	return j.truthful(model.Extend, "No Extend reported success.", func(op, x *model.Operation, key string) (string, bool) {
		switch {
		case !j.heldDuring(x, key, op.Call.Seq, op.Return.Seq):
			return j.who(op) + " was told that it had extended its lease, but did not hold the lock any more", true
		case !j.withoutGap(x, key, op):
			return j.who(op) + " was told that it had extended its lease, but the lock had not been its own all the time", true
		case op.Leased && op.Until <= op.Return.At:
			return j.who(op) + " was told that it had extended its lease, when the new end had passed already", true
		}
		return "", false
	})
}

// truthful judges the operations of a kind that reported success: lies says
// what is untrue.
func (j *judge) truthful(kind model.OpKind, none string, lies func(op, x *model.Operation, key string) (string, bool)) model.Verdict {
	key, ok := j.owned()
	switch {
	case !ok:
		return notApplicable(notSingle)
	case !j.everStored():
		return notApplicable(noneStored)
	}
	looked := false
	for i := range j.h.Operations {
		op := &j.h.Operations[i]
		x := j.acquisition(op)
		if op.Kind != kind || op.Result != model.OK || !op.Return.Happened() || x == nil || !acquired(x) {
			continue
		}
		looked = true
		if sentence, bad := lies(op, x, key); bad {
			why := j.whyLost(x, key, op.Return.Seq)
			return violated(because(sentence, why), op.Call, op.Return, append(why.ops, x.ID, op.ID), why.seqs)
		}
	}
	if !looked {
		return notApplicable(none)
	}
	return holds()
}

// withoutGap reports whether the acquisition had the lock when the operation
// took effect and from its Acquire's return until then. A tenure that began
// later is a new one, unless the node only went on with what it had.
func (j *judge) withoutGap(x *model.Operation, key string, op *model.Operation) bool {
	if j.o.Nodes > 1 {
		return j.quorateThroughout(x, key, x.Return.Seq, op.Call.Seq)
	}
	return j.quorate(key, x, func(t *tenure) bool {
		since := t.from.Seq <= x.Return.Seq || t.resumed
		return since && t.overlaps(op.Call.Seq, op.Return.Seq)
	})
}

// quorateThroughout reports whether the acquisition had the lock on a quorum of
// the servers from one event to another. They need not be the same all the time:
// some may come to it after the Acquire has returned.
func (j *judge) quorateThroughout(x *model.Operation, key string, from, to int64) bool {
	at := func(seq int64) bool {
		return j.quorate(key, x, func(t *tenure) bool { return t.stands(seq) })
	}
	for _, t := range j.tenures() {
		if t.over != nil && t.over.Seq > from && t.over.Seq <= to && !at(t.over.Seq) {
			return false
		}
	}
	return at(from)
}
