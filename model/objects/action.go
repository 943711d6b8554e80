package objects

import (
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/model"
)

// Part is the part of a call that happens at one instant.
type Part uint8

// The parts.
const (
	// Whole is the whole call: most calls take effect at one instant.
	Whole Part = iota
	// Enter takes a place in the queue of a fair mutex, or arrives at a barrier.
	// Leave ends the wait: the mutex is granted, or all parties have arrived.
	Enter
	Leave
	// Withdraw gives up the place in the queue.
	Withdraw
	// Lapse ends a hold without a call, at any time from an event on: its lease ran
	// out, or its client crashed.
	Lapse
)

// Action is the input of a sequential object at one instant: a call, or a part of one.
// [Operations] makes actions from calls. The output is the call's outcome.
type Action struct {
	Call *model.Call
	Part Part
	// Hold, of a Lapse after a crash, is the Acquire whose hold may end.
	Hold *model.Call
}

// Concerns returns the name of the object.
func (a Action) Concerns() string {
	if a.Hold != nil {
		return a.Hold.Object // a crash may concern all objects
	}
	return a.Call.Object
}

// Operations returns calls of objects of one kind as porcupine operations for
// [Model]: inputs are [Action], outputs [model.Outcome], and the metadata is the ID
// of the call.
//
//   - Call and Return are the call's event numbers. A call of unknown outcome returns
//     at infinity, which is a number beyond all events and different for each, and its
//     client continues under a fresh porcupine client id.
//   - An Await on a barrier, and an Acquire of a fair mutex that waits, are two
//     operations, which the model keeps in their order.
//   - A lease that runs out (that of an Acquire of unknown outcome: at any
//     time), and a crash, add a Lapse for each hold that they concern: an
//     operation of unknown outcome that may take place at any time from then on.
//
// Calls must have passed [model.Spec.CheckAll].
func Operations(spec model.Spec, calls []model.Call) []porcupine.Operation {
	b := actionBuilder{kind: spec.Kind, calls: calls, ids: make(map[string]int)}
	for i := range calls {
		c := &calls[i]
		b.infinity = max(b.infinity, c.Call, c.Return, c.Until, c.QueuedFrom, c.Queued)
	}
	for i := range calls {
		b.add(&calls[i])
	}
	return b.ops
}

// actionBuilder collects porcupine operations.
type actionBuilder struct {
	kind  model.Kind
	calls []model.Call
	ops   []porcupine.Operation
	// infinity is the number that was last used as a return at infinity.
	infinity int64
	// ids has the present porcupine client id of each thread; next is the first unused
	// one.
	ids  map[string]int
	next int
}

func (b *actionBuilder) add(c *model.Call) {
	switch c.Op {
	case model.Crash:
		b.crash(c)
		return
	case model.Expire:
		b.lapse(Action{Call: c, Part: Lapse}, c.Call)
		return
	}
	switch {
	case b.kind == model.KindFair && c.Op == model.Acquire && !c.Try:
		b.queue(c)
	case b.kind == model.KindBarrier && c.Pending():
		b.part(c, Enter, c.Call, 0)
	case b.kind == model.KindBarrier && c.Outcome == model.OK:
		b.part(c, Enter, c.Call, c.Return)
		b.part(c, Leave, c.Call, c.Return)
	default:
		b.part(c, Whole, c.Call, c.Return)
	}
	leased := b.kind == model.KindLeased || b.kind == model.KindPermitSemaphore
	if leased && valid(c) != 0 && (c.Op == model.Acquire && c.Outcome != model.Failed || c.Op == model.Extend && !c.Pending()) {
		b.lapse(Action{Call: c, Part: Lapse}, valid(c))
	}
}

// queue adds an Acquire of a fair mutex that waits. Its answer says how it leaves the
// queue; without one, it may be granted or withdraw.
func (b *actionBuilder) queue(c *model.Call) {
	from, by := max(c.Call, c.QueuedFrom), c.Queued
	switch {
	case c.Pending():
		b.part(c, Enter, from, by)
		b.part(c, Leave, from, 0)
		b.part(c, Withdraw, from, 0)
		return
	case by == 0:
		by = c.Return
	}
	b.part(c, Enter, from, by)
	if c.Outcome == model.OK {
		b.part(c, Leave, from, c.Return)
	} else {
		b.part(c, Withdraw, from, c.Return)
	}
}

// part adds a part of a call, between two events; to is 0 if it never returned.
func (b *actionBuilder) part(c *model.Call, part Part, from, to int64) {
	lane, out := c.Who(), c.Outcome
	if part == Leave || part == Withdraw {
		lane += " " + part.String() // beside Enter: lanes of the picture have one at a time
	}
	id, known := b.ids[lane]
	if !known {
		id = b.fresh()
		b.ids[lane] = id
	}
	if c.Pending() {
		out = model.Unknown
		if part != Enter || to == 0 { // an Acquire that is known to have queued took effect
			to = b.never()
		}
		delete(b.ids, lane)
	}
	b.ops = append(b.ops, porcupine.Operation{
		ClientId: id, Input: Action{Call: c, Part: part}, Call: from, Output: out, Return: to, Metadata: c.ID,
	})
}

func (b *actionBuilder) lapse(a Action, from int64) {
	b.ops = append(b.ops, porcupine.Operation{
		ClientId: b.fresh(), Input: a, Call: from, Output: model.Unknown, Return: b.never(), Metadata: a.Call.ID,
	})
}

// never returns a return stamp beyond all others.
func (b *actionBuilder) never() int64 {
	b.infinity++
	return b.infinity
}

// fresh returns an unused porcupine client id.
func (b *actionBuilder) fresh() int {
	b.next++
	return b.next - 1
}

func (p Part) String() string {
	return [...]string{"", "queues", "leaves", "withdraws", "lapses"}[p]
}

// Describe describes the call and its answer.
func (a Action) Describe(out model.Outcome) string {
	c := a.Call
	var w strings.Builder
	switch {
	case a.Part == Lapse && a.Hold != nil:
		fmt.Fprintf(&w, "hold #%d of %s lapses: %s crashed", a.Hold.ID, a.Hold.Holder(), c.Client)
		return w.String()
	case a.Part == Lapse && c.Op == model.Expire:
		fmt.Fprintf(&w, "hold%s lapses", which(c))
		return w.String()
	case a.Part == Lapse && c.Pending():
		fmt.Fprintf(&w, "hold%s of %s lapses", which(c), c.Holder())
		return w.String()
	case a.Part == Lapse:
		fmt.Fprintf(&w, "hold%s of %s lapses: valid until %d", which(c), c.Holder(), c.Until)
		return w.String()
	}
	fmt.Fprintf(&w, "%s %s%s", c.Who(), c.Op, argument(c))
	switch {
	case a.Part == Enter && c.Op == model.Await:
		return w.String() + ": arrives"
	case a.Part == Enter || a.Part == Withdraw:
		return w.String() + ": " + a.Part.String()
	}
	return w.String() + ": " + answer(c, out)
}

// which names the hold or permit that the call concerns.
func which(c *model.Call) string {
	switch {
	case c.Permit != "" && c.Op != model.Acquire:
		return " " + c.Permit
	case c.Of != 0:
		return fmt.Sprintf(" #%d", c.Of)
	case c.Op.Acquires():
		return fmt.Sprintf(" #%d", c.ID)
	}
	return ""
}

// argument returns the arguments of the call as text.
func argument(c *model.Call) string {
	var w strings.Builder
	switch c.Op {
	case model.Write, model.Add:
		fmt.Fprintf(&w, " %d", c.N)
	case model.Cas:
		fmt.Fprintf(&w, " from %d to %d", c.Expected, c.N)
	case model.Take, model.Put:
		fmt.Fprintf(&w, " %d, segment %d", c.Amount(), c.Segment)
	case model.Read:
		if c.Segment != 0 {
			fmt.Fprintf(&w, " segment %d", c.Segment)
		}
	default:
		if c.N != 0 {
			fmt.Fprintf(&w, " %d", c.N)
		}
	}
	w.WriteString(which(c))
	if c.Owner != "" {
		fmt.Fprintf(&w, " as %s", c.Owner)
	}
	if c.Try {
		w.WriteString(" at once")
	}
	if c.Fenced && !c.Op.Acquires() {
		fmt.Fprintf(&w, ", token %d", c.Token)
	}
	return w.String()
}

// answer returns the outcome with its results as text.
func answer(c *model.Call, out model.Outcome) string {
	switch {
	case out == model.Failed && c.Refused:
		return "refused"
	case out != model.OK:
		return string(out)
	}
	w := string(out)
	if c.Fenced && c.Op.Acquires() {
		w += fmt.Sprintf(", token %d", c.Token)
	}
	if c.Permit != "" && c.Op == model.Acquire {
		w += ", permit " + c.Permit
	}
	if c.Valued && c.Op == model.Await {
		w += fmt.Sprintf(", generation %d", c.Value)
	} else if c.Valued {
		w += fmt.Sprintf(", %d", c.Value)
	}
	if c.Until != 0 {
		w += fmt.Sprintf(", until %d", c.Until)
	}
	return w
}

// valid returns the event from which the hold of an Acquire or an Extend may end by
// itself, 0 if it may not. The hold of an Acquire of unknown outcome may end at any
// time.
func valid(c *model.Call) int64 {
	if c.Pending() {
		return c.Call
	}
	return c.Until
}
