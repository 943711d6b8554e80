package objects

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/model"
)

// LockInput is the input of the sequential models of a lock.
type LockInput struct {
	// Kind is Acquire or Release; other operations do not concern the lock.
	Kind   model.OpKind
	Client string
	Thread int
	// Acquisition is the hold that the operation begins or ends.
	Acquisition int
	// Crash is set on the release that the crash of a holder adds.
	Crash bool
}

// LockOutput is the client's answer. An Unknown result leaves the output
// unconstrained.
type LockOutput struct {
	Result  model.Outcome
	NotHeld bool
	Fenced  bool
	Token   int64
}

// MutexModel returns the sequential model of a plain mutex: it is free, or
// held by one acquisition.
//
//   - An Acquire that succeeded is legal when the mutex is free.
//   - An Acquire that failed is always legal, and changes nothing: locks may
//     give up, also on a free mutex.
//   - An Acquire of unknown outcome is always legal: it takes the mutex if it is free,
//     and has no effect otherwise. (The case that it had no effect on a free mutex
//     needs no step of its own, because it returns at infinity and can be placed last.)
//   - A Release is always legal. It frees the mutex if its own acquisition holds it,
//     whatever the answer was (a client that has called Release has left, and
//     ErrNotHeld ends a hold as well), and has no effect otherwise.
//
// So a second Release of one acquisition is a no-op, even if it answers OK again.
// Many sound locks have an idempotent Release; other properties judge whether the
// answer of a Release is true. For exclusion, the second Release must not free
// another client's hold, and in this model it does not.
//
// Inputs are [LockInput], outputs [LockOutput]; [LockOperations] makes them
// from a history.
func MutexModel() porcupine.Model { return lockModel(false) }

// FencedMutexModel returns the sequential model of a mutex that hands out fencing
// tokens: [MutexModel], and the token of every successful Acquire is greater than all
// tokens before it. An Acquire without a token is not compared.
func FencedMutexModel() porcupine.Model { return lockModel(true) }

// lockState is a state of either model.
type lockState struct {
	holder int // acquisition, 0 if free
	// last is the greatest token granted, if one was granted.
	last    int64
	granted bool
}

func lockModel(fenced bool) porcupine.Model {
	return sequential[lockState, LockInput, LockOutput]{
		Step: func(s lockState, in LockInput, out LockOutput) (lockState, bool) { return s.step(in, out, fenced) },
	}.Porcupine()
}

// Equal reports whether the states are the same.
func (s lockState) Equal(other lockState) bool { return s == other }

// Hash returns a hash of the state.
func (s lockState) Hash() uint64 {
	return uint64(newDigest.int(int64(s.holder)).int(s.last).bool(s.granted))
}

func (s lockState) String() string {
	if s.holder == 0 {
		return "free"
	}
	return fmt.Sprintf("held by acquisition %d", s.holder)
}

// step reports whether the operation is legal in s, and returns the state after it.
func (s lockState) step(in LockInput, out LockOutput, fenced bool) (lockState, bool) {
	switch {
	case in.Kind == model.Release:
		if s.holder == in.Acquisition {
			s.holder = 0
		}
		return s, true
	case out.Result == model.Failed:
		return s, true
	case s.holder != 0:
		return s, out.Result == model.Unknown
	case fenced && out.Result == model.OK && out.Fenced:
		if s.granted && out.Token <= s.last {
			return s, false
		}
		s.last, s.granted = out.Token, true
	}
	s.holder = in.Acquisition
	return s, true
}

// Concerns returns "": a run has one lock.
func (in LockInput) Concerns() string { return "" }

// Describe describes the call and its answer.
func (in LockInput) Describe(out LockOutput) string {
	who := (&model.Call{Client: in.Client, Thread: in.Thread}).Who()
	switch {
	case in.Crash:
		return fmt.Sprintf("%s crashed, holding #%d", who, in.Acquisition)
	case out.NotHeld:
		return fmt.Sprintf("%s %s #%d: not held", who, in.Kind, in.Acquisition)
	case in.Kind == model.Acquire && out.Result == model.OK && out.Fenced:
		return fmt.Sprintf("%s %s #%d: ok, token %d", who, in.Kind, in.Acquisition, out.Token)
	}
	return fmt.Sprintf("%s %s #%d: %s", who, in.Kind, in.Acquisition, out.Result)
}

// LockOperations returns the history's Acquires and Releases as porcupine
// operations, with [LockInput], [LockOutput], and as metadata the ID of the
// operation (for a crash: of the Acquire whose hold it ends).
//
// Call and Return are event numbers, never times. An operation of unknown outcome
// returns at infinity, which is a number beyond all events and different for each, and
// its client continues under a fresh porcupine client id. The crash of a holder that
// has not called Release adds a release that may happen at any time from then on.
func LockOperations(h *model.History) []porcupine.Operation {
	b := lockBuilder{
		infinity: lastSeq(h),
		ids:      make(map[lockThread]int),
		ops:      make([]porcupine.Operation, 0, len(h.Operations)),
	}
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Kind == model.Acquire || op.Kind == model.Release {
			b.add(op)
		}
	}
	for i := range h.Observations {
		if o := &h.Observations[i]; o.Kind == model.Crashed {
			b.crash(h, o)
		}
	}
	return b.ops
}

// lockThread is a thread of a client process.
type lockThread struct {
	client string
	thread int
}

// lockBuilder collects porcupine operations.
type lockBuilder struct {
	ops []porcupine.Operation
	// infinity is the number that was last used as a return at infinity.
	infinity int64
	// ids has the present porcupine client id of each thread; next is the first unused
	// one.
	ids  map[lockThread]int
	next int
}

// never returns a return stamp beyond all others.
func (b *lockBuilder) never() int64 {
	b.infinity++
	return b.infinity
}

// fresh returns an unused porcupine client id.
func (b *lockBuilder) fresh() int {
	b.next++
	return b.next - 1
}

func (b *lockBuilder) add(op *model.Operation) {
	acquisition := op.Acquisition
	if op.Kind == model.Acquire {
		acquisition = op.ID
	}
	thread := lockThread{op.Client, op.Thread}
	id, known := b.ids[thread]
	if !known {
		id = b.fresh()
		b.ids[thread] = id
	}
	out := LockOutput{Result: op.Result, NotHeld: op.NotHeld, Fenced: op.Fenced, Token: op.Token}
	end := max(op.Return.Seq, op.Call.Seq)
	if op.Result == model.Unknown || !op.Return.Happened() {
		out = LockOutput{Result: model.Unknown}
		end = b.never()
		delete(b.ids, thread)
	}
	b.ops = append(b.ops, porcupine.Operation{
		ClientId: id,
		Input:    LockInput{Kind: op.Kind, Client: op.Client, Thread: op.Thread, Acquisition: acquisition},
		Call:     op.Call.Seq,
		Output:   out,
		Return:   end,
		Metadata: op.ID,
	})
}

// crash adds the releases that the crash of a process makes possible: of all its holds.
// (A release of a hold given up before would do no harm, and is omitted.)
func (b *lockBuilder) crash(h *model.History, o *model.Observation) {
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Client != o.Node || op.Kind != model.Acquire || op.Result != model.OK || !op.Return.Happened() {
			continue
		}
		if op.Call.Seq > o.Seq || releasedBefore(h, op.ID, o.Seq) {
			continue
		}
		b.ops = append(b.ops, porcupine.Operation{
			ClientId: b.fresh(),
			Input: LockInput{
				Kind: model.Release, Client: op.Client, Thread: op.Thread,
				Acquisition: op.ID, Crash: true,
			},
			Call:     o.Seq,
			Output:   LockOutput{Result: model.Unknown},
			Return:   b.never(),
			Metadata: op.ID,
		})
	}
}

// releasedBefore reports whether a Release of the acquisition was called
// before the event.
func releasedBefore(h *model.History, acquisition int, seq int64) bool {
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Kind == model.Release && op.Acquisition == acquisition && op.Call.Seq < seq {
			return true
		}
	}
	return false
}

// lastSeq returns the greatest event number in the history.
func lastSeq(h *model.History) int64 {
	last := h.End.Seq
	for i := range h.Operations {
		op := &h.Operations[i]
		last = max(last, op.Call.Seq, op.Return.Seq)
	}
	for i := range h.Observations {
		last = max(last, h.Observations[i].Seq)
	}
	return last
}
