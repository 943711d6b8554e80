package histories

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/model"
)

// objectName is the object of all histories here: objects are independent, so one is enough.
const objectName = "o"

// Legal generates legal histories of at most most calls, by clients that are simulated over a real object. Calls overlap,
// wait, give up or stay without an answer, and clients crash.
func Legal(spec model.Spec, most int) *rapid.Generator[[]model.Call] {
	return rapid.Custom(func(t *rapid.T) []model.Call {
		s := simulation{t: t, spec: spec, object: newObject(spec), most: most}
		for range 2 + pick(t, "clients", 2) {
			s.idle = append(s.idle, fmt.Sprintf("c%d", len(s.idle)+1))
		}
		for range between(t, "steps", int64(2*most), int64(8*most)) {
			s.step()
		}
		if !rarely(t, "cut", 4) {
			s.drain()
		}
		return s.history()
	})
}

// simulation is clients and one object.
type simulation struct {
	t      *rapid.T
	spec   model.Spec
	object *object
	most   int // calls

	event int64    // the last one
	idle  []string // clients
	open  []*open
	calls []*model.Call
}

// open is a call that may still take effect.
type open struct {
	call    *model.Call
	entered bool // the queue, or the barrier
	done    bool // it took effect, or was denied
	denied  bool
	left    bool // nobody waits for its answer any more
}

func (s *simulation) next() int64 {
	s.event++
	return s.event
}

// chance returns true once in n times.
func (s *simulation) chance(n int) bool { return rarely(s.t, "chance", n) }

// step makes one thing happen.
func (s *simulation) step() {
	n := pick(s.t, "step", 16)
	switch {
	case n < 5:
		s.begin()
	case n == 15:
		s.mishap()
	case len(s.open) == 0:
	case n < 10:
		s.effect(oneOf(s.t, "open", s.open))
	default:
		s.end(oneOf(s.t, "open", s.open))
	}
}

// drain ends the open operations, as far as they end.
func (s *simulation) drain() {
	for range 2 {
		for _, o := range slices.Clone(s.open) {
			s.effect(o)
			if o.done {
				s.end(o)
			}
		}
	}
}

// record adds a call, made now.
func (s *simulation) record(c *model.Call) {
	c.ID, c.Object, c.Outcome = len(s.calls)+1, objectName, model.Unknown
	c.Call = s.next()
	s.calls = append(s.calls, c)
}

// begin makes an idle client call something.
func (s *simulation) begin() {
	if len(s.idle) == 0 || len(s.calls) >= s.most {
		return
	}
	i := pick(s.t, "client", len(s.idle))
	c := &model.Call{Client: s.idle[i]}
	s.idle = slices.Delete(s.idle, i, i+1)
	s.ask(c)
	s.record(c)
	s.open = append(s.open, &open{call: c})
}

// ask draws the client's request: if it has a hold, usually to give it back.
func (s *simulation) ask(c *model.Call) {
	c.Op = oneOf(s.t, "op", calledOps(s.spec.Kind))
	i := slices.IndexFunc(s.object.entries, func(e entry) bool { return e.owner == c.Client })
	if i < 0 && (c.Op.Releases() || c.Op == model.Extend) && !s.chance(4) {
		c.Op = s.spec.Kind.Ops()[0] // an Acquire
	}
	if i >= 0 && !s.chance(3) {
		c.Op = model.Release
		if s.spec.Kind == model.KindReadWrite {
			c.Op = model.ReleaseRead
			if s.object.entries[i].write {
				c.Op = model.ReleaseWrite
			}
		}
	}
	drawArguments(s.t, s.spec, c)
	if !c.Op.Releases() && c.Op != model.Extend {
		return
	}
	switch permits := s.spec.Kind == model.KindPermitSemaphore; {
	case permits && i >= 0 && s.object.entries[i].permit != "":
		c.Permit = s.object.entries[i].permit
	case i >= 0 && (permits || s.chance(2)):
		c.Of = s.object.entries[i].id
	case permits:
		c.Permit = "none"
	}
}

// effect makes a call take effect, if it can.
func (s *simulation) effect(o *open) {
	c := o.call
	queues := s.spec.Kind == model.KindFair && c.Op == model.Acquire && !c.Try
	switch {
	case o.done:
		return
	case (queues || s.spec.Kind == model.KindBarrier) && !o.entered:
		s.enter(o, queues)
		return
	case c.Op.Releases():
		if o.denied = !s.object.give(c); o.denied {
			s.object.deny(c)
		}
	case c.Op == model.Extend:
		o.denied = !s.extend(c)
	case s.object.able(c):
		s.answer(c)
	case c.Try || isAccess(s.spec.Kind):
		s.object.see(c)
		o.denied = true
	default:
		return // it waits
	}
	o.done = true
	s.forgetAnswers(o)
}

func (s *simulation) enter(o *open, queues bool) {
	o.entered = true
	if !queues {
		s.object.arrived = append(s.object.arrived, o.call.ID)
		return
	}
	s.object.queue = append(s.object.queue, o.call.ID)
	if o.left {
		return
	}
	switch pick(s.t, "queued", 3) {
	case 0:
		o.call.Queued = s.next()
	case 1: // the instant is known: after the last event, as far as that decides it
		o.call.QueuedFrom = s.next()
		o.call.Queued = o.call.QueuedFrom
	}
}

// extend makes an Extend take effect, which postpones an end.
func (s *simulation) extend(c *model.Call) bool {
	for i := range s.object.entries {
		e := &s.object.entries[i]
		if !s.object.means(c, *e) {
			continue
		}
		if e.until != 0 {
			c.Until = e.until + between(s.t, "longer", 0, 4)
		}
		e.until = c.Until
		return true
	}
	return false
}

// answer draws the answers of a call that takes effect now, and applies it.
func (s *simulation) answer(c *model.Call) {
	o := s.object
	if c.Op.Acquires() {
		s.lease(c)
		s.token(c)
	}
	c.Outcome = model.OK // for as long as it takes: its answers count
	o.serve(c)
	c.Outcome = model.Unknown
	switch {
	case s.spec.Kind == model.KindBarrier && s.chance(2):
		c.Valued, c.Value = true, int64(o.generation(c))
	case s.spec.Kind == model.KindLatch && c.Op == model.Read:
		c.Valued, c.Value = true, o.count
	case c.Op == model.Read || c.Op == model.Add && s.chance(2):
		c.Valued, c.Value = true, o.values[c.Segment]
	}
}

// lease draws the end of a lease that begins now, and the name of a permit.
func (s *simulation) lease(c *model.Call) {
	if s.spec.Kind == model.KindPermitSemaphore {
		c.Permit = fmt.Sprintf("p%d", c.ID)
	} else if s.spec.Kind != model.KindLeased {
		return
	}
	if n := between(s.t, "lease", 0, 6); n > 0 {
		c.Until = max(1, s.event+n-1)
	}
}

// token draws the token of an Acquire that takes effect now.
func (s *simulation) token(c *model.Call) {
	if s.spec.Kind != model.KindFenced && s.spec.Kind != model.KindReentrantFenced || s.chance(4) {
		return
	}
	c.Fenced, c.Token = true, s.object.token+between(s.t, "token", 1, 2)
	if s.spec.Kind == model.KindReentrantFenced && len(s.object.entries) > 0 && s.object.own {
		c.Token = s.object.token
	}
}

// end makes a call return: with its answer, with an error that leaves it open, or because it gives up.
func (s *simulation) end(o *open) {
	switch {
	case o.left:
		if !o.done && s.chance(3) {
			s.giveUp(o)
		}
		return
	case s.chance(10):
		o.left = true
		s.forgetAnswers(o)
	case !o.done:
		if waits := o.call.Op.Acquires() || o.call.Op == model.Await; !waits || !s.chance(6) || !s.giveUp(o) {
			return
		}
		o.call.Outcome = model.Failed
	case o.denied:
		o.call.Outcome = model.Failed
		o.call.Refused = isAccess(s.spec.Kind)
	default:
		o.call.Outcome = model.OK
	}
	o.call.Return = s.next()
	s.idle = append(s.idle, o.call.Client)
	if !o.left || o.done {
		s.open = slices.DeleteFunc(s.open, func(other *open) bool { return other == o })
	}
}

// giveUp undoes what a waiting call has done so far, if it can. A try does not wait.
func (s *simulation) giveUp(o *open) bool {
	if o.call.Try && !o.left {
		return false
	}
	same := func(id int) bool { return id == o.call.ID }
	if s.spec.Kind == model.KindBarrier && o.entered {
		if s.object.able(o.call) || o.left {
			return false
		}
		s.object.arrived = slices.DeleteFunc(s.object.arrived, same)
	}
	s.object.queue = slices.DeleteFunc(s.object.queue, same)
	o.done = true
	return true
}

// forgetAnswers handles a call whose answers nobody will know: its hold has no name, and may end at any time.
func (s *simulation) forgetAnswers(o *open) {
	leased := s.spec.Kind == model.KindLeased || s.spec.Kind == model.KindPermitSemaphore
	i := slices.IndexFunc(s.object.entries, func(e entry) bool { return e.id == o.call.ID })
	if leased && o.left && i >= 0 {
		e := &s.object.entries[i]
		e.permit, e.until = "", o.call.Call
	}
}

// history returns the recorded calls.
func (s *simulation) history() []model.Call {
	calls := make([]model.Call, len(s.calls))
	for i, c := range s.calls {
		if c.Outcome == model.Unknown {
			blank(c)
		}
		calls[i] = *c
	}
	return calls
}
