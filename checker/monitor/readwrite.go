package monitor

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// readWrite judges a read-write lock: one writer, who may read as well, or many
// readers, both re-entrantly.
//
// # Holds
//
// Certain and possible holds are those of a mutex (see exclusive), one for each owner and mode. Certain holds must be
// compatible: a writer's with none of another owner, and a writer begins when no reader is there, itself included.
//
// # Tries
//
// A failed try to read needs an instant at which another owner writes, a failed try to write one at which any owner holds
// the lock. Again holds are made as long as they can be, those of writers first: between two neighbours a writer may have
// the time that its own call and the certain ends of earlier holds leave. A reader in its place would explain only tries
// to write, which the writer explains as well. Time that no writer can cover, because it is not called yet or has
// released, is covered by readers up to their own limits. So one choice is best for all tries, and each can be judged by
// itself.
//
// Online, a try to read that returns while an owner certainly reads, and was not explained before, never will be, since a
// writer that explains it would have to hold on until its own acquire returns. Otherwise it waits until an acquire to
// write that was under way succeeds before any other acquire. A try to write may also be explained by a reader that was
// under way; once another reader has been let in, only by such a reader, and by none once a writer has.
//
// # Calls of unknown outcome
//
// They are as for a re-entrant mutex: a release is a credit, an acquire can only come last unless its owner goes on or
// crashes. One such writer may explain both a try to read and a try to write; a reader that explains the one may exclude
// the writer that explains the other. Everything else that depends on them is a doubt.
type readWrite struct {
	verdict
	now     int64
	owners  map[string]*party
	asks    map[int]*ask
	writer  *hold // if one is there, or may be
	readers []*hold

	// written is the last event at which a writer may have had the lock, by is that writer, and before the last event at which
	// another writer may have had it; read is the last event of readers.
	written, before, read int64
	by                    *owner

	toRead, toWrite waiting
}

// party is the state of one owner.
type party struct {
	under *model.Call
	modes [2]owner // to read, to write
}

// The modes.
const (
	reads = iota
	writes
)

// waiting is the try that was the first to return of those not explained yet.
type waiting struct {
	try *model.Call
	// hopes is the number of acquires of each mode that may still explain it.
	hopes [2]int
}

func newReadWrite() *readWrite {
	return &readWrite{owners: make(map[string]*party), asks: make(map[int]*ask), written: -1, before: -1, read: -1}
}

func modeOf(op model.OpKind) int {
	if op == model.AcquireWrite || op == model.ReleaseWrite {
		return writes
	}
	return reads
}

func (m *readWrite) at(event int64) {
	m.now = event
	if h := m.writer; h != nil {
		if h.owner != m.by {
			m.by, m.before = h.owner, m.written
		}
		m.written = event
	}
	if len(m.readers) > 0 {
		m.read = event
	}
}

// writtenBeside returns the last event at which a writer other than the party may have had the lock: its own hold does not
// keep it out.
func (m *readWrite) writtenBeside(p *party) int64 {
	if m.by == &p.modes[writes] {
		return m.before
	}
	return m.written
}

func (m *readWrite) Call(c *model.Call) {
	if m.over() {
		return
	}
	m.at(c.Call)
	if c.Op == model.Crash {
		m.crash(c)
		return
	}
	p := m.owners[c.Holder()]
	if p == nil {
		p = &party{}
		m.owners[c.Holder()] = p
	}
	if p.under != nil {
		if !p.under.Pending() { // it will certainly be answered
			m.gives(overlapping)
			return
		}
		m.settle(p)
	}
	p.under = c
	for i := range p.modes {
		if p.modes[i].doomed {
			m.gives(doomed)
			return
		}
		for _, a := range p.modes[i].pending {
			a.loosen(m.now)
		}
	}
	switch c.Op {
	case model.AcquireRead, model.AcquireWrite:
		a := &ask{call: c}
		if p.modes[modeOf(c.Op)].credits > 0 {
			a.loosen(c.Call)
		}
		m.asks[c.ID] = a
	default:
		if h := p.modes[modeOf(c.Op)].hold; h != nil && h.next == nil {
			h.releasing = true
		}
	}
}

// crash handles a crash: holds and pending acquires of the process may end from now on.
func (m *readWrite) crash(c *model.Call) {
	if m.writer != nil && m.writer.latest.Client == c.Client {
		m.writer.lapse()
	}
	for _, h := range m.readers {
		if h.latest.Client == c.Client {
			h.lapse()
		}
	}
	for _, a := range m.asks { // unordered: each is looked at by itself
		if a.call.Client == c.Client {
			m.lapses(a)
		}
	}
}

// lapses notes that an acquire's hold may end by itself from now on. If it enters an existing hold, that may end too.
func (m *readWrite) lapses(a *ask) {
	a.lapses = true
	a.loosen(m.now)
	p := m.owners[a.call.Holder()]
	o := &p.modes[modeOf(a.call.Op)]
	switch {
	case p.under != a.call:
		o.doomed = true
		if o.hold != nil {
			o.hold.lapse()
		}
	case o.hold != nil:
		m.gives(doomed)
	}
}

func (m *readWrite) Return(c *model.Call) {
	if m.over() {
		return
	}
	m.at(c.Return)
	p := m.owners[c.Holder()]
	if p == nil || p.under != c {
		m.gives(overlapping)
		return
	}
	if c.Outcome == model.Unknown {
		m.settle(p)
		return
	}
	p.under = nil
	if p.modes[modeOf(c.Op)].doomed {
		m.gives(doomed)
		return
	}
	switch a := m.asks[c.ID]; {
	case a == nil:
		m.released(p, c)
	case c.Outcome == model.OK:
		delete(m.asks, c.ID)
		m.explain(c, a)
		m.acquired(p, c, a)
	default:
		delete(m.asks, c.ID)
		m.refused(p, c)
	}
	m.at(c.Return)
	if idle(&p.modes[reads]) && idle(&p.modes[writes]) && p.under == nil {
		delete(m.owners, c.Holder())
	}
}

// idle reports whether the owner has no state in a mode.
func idle(o *owner) bool { return o.hold == nil && o.credits == 0 && len(o.pending) == 0 }

func (m *readWrite) End() {
	if m.over() {
		return
	}
	for _, p := range m.owners { // unordered: owners do not affect each other here
		if p.under != nil {
			m.settle(p)
		}
	}
	m.apart()
}

// settle treats the call under way as one of unknown outcome.
func (m *readWrite) settle(p *party) {
	c := p.under
	p.under = nil
	o := &p.modes[modeOf(c.Op)]
	if a := m.asks[c.ID]; a != nil {
		if o.credits > 0 {
			a.loosen(m.now)
		}
		o.pending = append(o.pending, a)
		o.doomed = o.doomed || a.lapses
		return
	}
	o.credits++
	if h := o.hold; h != nil && h.releasing {
		h.releasing = false
		if h.next != nil && !h.lapsed {
			m.consume(h)
		}
		m.remains(h)
	}
}

// remains handles a call that did not end a hold. If the hold is certain, it was so all along, and no other owner can have
// written meanwhile.
func (m *readWrite) remains(h *hold) {
	if m.toRead.try != nil && !h.gone() && h.next == nil {
		m.toRead.hopes[writes] = 0
		m.hopeless(nil)
	}
}

// consume accounts for a hold that must have ended, by releases of unknown outcome alone, when another began.
func (m *readWrite) consume(h *hold) {
	switch {
	case h.owner.credits < h.lo:
		m.overlap(h, h.next)
		return
	case h.lo != h.hi:
		m.doubts("It is not known how many entries a hold had when it ended, because of releases of unknown outcome. Their answers would settle it.")
	}
	h.owner.credits -= h.lo
}

func (m *readWrite) overlap(h *hold, other *model.Call) {
	if h.first.Return == other.Return {
		m.gives(tied)
		return
	}
	m.violate(Exclusion, m.now, fmt.Sprintf(
		"%s held the lock to %s from event %d on, and nothing that took effect had begun to end that hold when the acquire of %s, to %s, returned at event %d. %s",
		holder(h.first), purpose(h.first), h.first.Return, holder(other), purpose(other), other.Return, shortest), h.first, h.latest, other)
}

func purpose(c *model.Call) string { return [...]string{"read", "write"}[modeOf(c.Op)] }

// acquired handles an acquire that succeeded.
func (m *readWrite) acquired(p *party, c *model.Call, a *ask) {
	o := &p.modes[modeOf(c.Op)]
	own := m.writer != nil && m.writer.owner == &p.modes[writes]
	if h := p.modes[reads].hold; modeOf(c.Op) == writes && !own && h != nil && len(o.pending) > 0 && slices.Contains(m.readers, h) {
		m.gives("A reader acquired to write, and an earlier acquire of it, to write, has no known outcome. Its answer would settle it.")
		return
	}
	if a.loose && !own && m.early(c, a) {
		return
	}
	if m.writer != nil && !own {
		m.displace(m.writer, c)
		m.writer = nil
	}
	if modeOf(c.Op) == reads {
		if h := o.hold; h != nil && h.next == nil && !h.ended {
			m.again(h, c, a)
			return
		}
		m.readers = append(m.readers, m.begin(o, c, a))
		return
	}
	if own {
		if m.writer.gone() && (len(m.readers) > 0 || m.writer.owner.credits > 0) {
			m.gives("It is not known whether a writer whose hold may have ended entered again or began anew, among readers. " +
				"The answers of its calls of unknown outcome would settle it.")
			return
		}
		m.again(m.writer, c, a)
		return
	}
	for _, h := range m.readers {
		m.displace(h, c)
	}
	m.readers = nil
	m.writer = m.begin(o, c, a)
}

// early handles an acquire that returned when its hold might have ended already, while incompatible holds existed or may
// have existed. It reports whether this is the case: the hold may then have had no length, at any instant since it might
// have ended.
func (m *readWrite) early(c *model.Call, a *ask) bool {
	var others []*hold
	if m.writer != nil {
		others = append(others, m.writer)
	}
	if modeOf(c.Op) == writes {
		others = append(others, m.readers...)
	}
	for _, h := range others {
		if !h.gone() && h.since() < max(c.Call, a.since) {
			m.overlap(h, c)
			return true
		}
	}
	if len(others) > 0 {
		m.gives(earlier)
	}
	return len(others) > 0
}

// begin handles the first entry of a hold.
func (m *readWrite) begin(o *owner, c *model.Call, a *ask) *hold {
	h := &hold{owner: o, first: c, latest: c, lo: 1, hi: 1}
	if a.lapses {
		h.lapse()
	}
	o.hold = h
	return h
}

// again handles another entry.
func (m *readWrite) again(h *hold, c *model.Call, a *ask) {
	if h.lapsed && h.owner.credits > 0 {
		m.doubts("It is not known whether a hold that may have ended by itself had ended when its owner acquired again. " +
			"A record of its end would settle it.")
	}
	h.vague = h.vague || h.gone()
	h.lo++
	h.hi++
	h.latest, h.lapsed = c, false
	if a.lapses {
		h.lapse()
	}
}

// displace ends a hold because a new one is incompatible with it.
func (m *readWrite) displace(h *hold, c *model.Call) {
	h.next = c
	switch {
	case !h.gone():
		m.overlap(h, c)
	case h.releasing: // the answer decides
	case !h.lapsed:
		m.consume(h)
	case h.owner.credits > 0:
		m.doubts("A hold that may have ended by itself may also have been ended by a release of unknown outcome, " +
			"which could end a later hold instead. The answer of that release would settle it.")
	}
}

// released handles the answer of a release.
func (m *readWrite) released(p *party, c *model.Call) {
	o := &p.modes[modeOf(c.Op)]
	h := o.hold
	switch {
	case c.Outcome == model.Failed:
		if h != nil {
			m.ends(h)
		}
		return
	case len(o.pending) > 0 && (h == nil || h.next != nil && h.next.Return < c.Call):
		m.doubts("A release succeeded that may be of an acquire of unknown outcome. The answer of that acquire would settle it.")
		return
	case h == nil:
		m.violate(Release, m.now, fmt.Sprintf("%s released what it held to %s, though it held nothing.", holder(c), purpose(c)), c)
		return
	case h.next != nil && h.next.Return < c.Call:
		m.violate(Release, m.now, fmt.Sprintf("the release of %s succeeded, called at event %d, though %s held the lock to %s from event %d on, and the hold #%d was over. %s",
			holder(c), c.Call, holder(h.next), purpose(h.next), h.next.Return, h.first.ID, shortest), h.first, h.next, c)
		return
	}
	if t := m.toRead.try; t != nil && t.Return <= c.Call && h.next == nil { // it existed all along
		m.toRead.hopes[writes] = 0
		m.hopeless(nil)
	}
	h.lo, h.hi = max(h.lo-1, 0), h.hi-1
	h.releasing = false
	switch {
	case h.hi == 0:
		if h.next != nil && o.credits > 0 {
			m.doubts(creditOrRelease)
		}
		m.ends(h)
	case h.next != nil && h.lapsed:
		m.ends(h)
	case h.next != nil:
		if m.consume(h); !m.over() {
			m.ends(h)
		}
	default:
		h.lapsed = h.lapsed || h.lo == 0
		m.remains(h)
	}
}

// ends handles the end of a hold.
func (m *readWrite) ends(h *hold) {
	h.ended = true
	if h.owner.hold == h {
		h.owner.hold = nil
	}
	if m.writer == h {
		m.writer = nil
	}
	if i := slices.Index(m.readers, h); i >= 0 {
		m.readers = slices.Delete(m.readers, i, i+1)
	}
}
