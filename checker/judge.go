package checker

import (
	"github.com/lockpick-dev/lockpick/model"
)

// A Judge is what a property judges by: a history, the [Options], and facts that several
// properties need, which are computed once. It is not safe for concurrent use.
type Judge struct {
	h *model.History
	o Options

	// claims are those of the successful Acquires, in the order in which
	// they begin.
	claims []claim
	// released has, by the ID of an acquisition, the ID of the operation
	// that released it first, or 0.
	released []int
	// keys is what lockKeys returns, once it was called.
	keys []string
	// held is what tenures returns, once it was called.
	held []tenure
	// selfRenewed has, by the ID of an acquisition, the servers that were seen to renew
	// its lease though nobody had called for it. Nil until that is asked for.
	selfRenewed map[int][]string
	index       index
	shares      tenureIndex
	// behind are operations that the cause of the verdict rests on besides those that the verdict names.
	behind []int
	// unread is why [Options].Ownership could not read a key, if it could not.
	unread error
}

// History is the history that is judged. It must not be changed.
func (j *Judge) History() *model.History { return j.h }

// Options are the inputs of judging besides the history.
func (j *Judge) Options() Options { return j.o }

// Who names the client of an operation for a sentence, with its thread if the client has
// several.
func (j *Judge) Who(op *model.Operation) string { return j.who(op) }

func newJudge(h *model.History, o Options) Judge {
	o.Terms = o.Terms.Usual()
	j := Judge{h: h, o: o, claims: claimsOf(h), released: make([]int, len(h.Operations)+1)}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Kind == model.Release && h.Operation(op.Acquisition) != nil {
			first := &j.released[op.Acquisition]
			if *first == 0 || op.Call.Seq < h.Operation(*first).Call.Seq {
				*first = i + 1
			}
		}
	}
	return j
}

// acquired reports whether the operation is an Acquire that returned with the
// lock.
func acquired(op *model.Operation) bool {
	return op.Kind == model.Acquire && op.Result == model.OK && op.Return.Happened()
}

// acquisition returns the Acquire whose hold the operation belongs to, itself
// for an Acquire, or nil.
func (j *Judge) acquisition(op *model.Operation) *model.Operation {
	if op == nil || op.Kind == model.Acquire {
		return op
	}
	return j.h.Operation(op.Acquisition)
}

// acquisitionOf returns the ID of the acquisition on whose behalf something
// happened, or 0.
func (j *Judge) acquisitionOf(o model.Origin) int {
	if x := j.acquisition(j.h.Operation(o.Op)); x != nil {
		return x.ID
	}
	return 0
}

// clientOf returns the name of the process that caused something, if it is
// known.
func (j *Judge) clientOf(o model.Origin) string {
	if op := j.h.Operation(o.Op); op != nil {
		return op.Client
	}
	return o.Client
}

// stampOf is the place of an event of the history.
func (j *Judge) stampOf(seq int64) model.Stamp {
	at := model.Stamp{Seq: seq}
	see := func(s model.Stamp) {
		if s.Seq <= seq {
			at.At = max(at.At, s.At)
		}
	}
	for i := range j.h.Observations {
		see(j.h.Observations[i].Stamp)
	}
	for i := range j.h.Operations {
		see(j.h.Operations[i].Call)
		see(j.h.Operations[i].Return)
	}
	return at
}

// earlier returns the earlier of two stamps. Where both are at the same time
// the event number decides.
func earlier(a, b model.Stamp) model.Stamp {
	if b.At < a.At || b.At == a.At && b.Seq < a.Seq {
		return b
	}
	return a
}
