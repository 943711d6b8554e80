package monitor

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// exclusive judges the kinds that one owner holds at a time: the mutex, leased
// or fenced, and re-entrant up to a limit (a mutex is one with the limit 1).
//
// # Holds
//
// A hold is certain from the return of its first acquire until it may have ended: by the call of a release, its Until, an
// Expire, or the crash of its client. It is possible from the call of its acquire to the return of the release that ended
// it. Linearizing acquires at their returns and ends as early as possible makes every hold as short as it can be, so
//
//   - certain holds must be disjoint. Disjoint holds have one possible order, that
//     of the history (the later one first would have to end too early), and tokens
//     must grow in that order;
//   - a release or an extension that succeeded shows that the hold was still there
//     at its call, so no other owner's may have become certain since the hold may
//     have ended.
//
// # Tries
//
// A try that failed needs an instant at which the lock is held. Make holds as long as they can be: a hold that may have
// ended lasts to the return of the call that ended it, or until the next hold, which begins at the call of its acquire or
// as soon as the one before has ended. Consecutive holds leave a gap only if one is known to have ended before the call of
// the next, and no order of the calls makes that gap smaller. So the try is legal unless it lies within such a gap, and
// tries do not depend on each other. Online, a try in a gap waits for the success of an acquire that was called before the
// try returned. Of all the waiting tries, the first to return is the hardest to explain.
//
// # Calls of unknown outcome
//
// An acquire that may have taken effect and has no release can only come last: it explains tries in the last gap, if it
// was called before that gap's end. If its owner releases afterwards, or crashes, the acquire may explain any later gap;
// if such a gap needs an explanation, that is a doubt. A release of unknown outcome may end one entry of its owner's
// present or a later hold: it is a credit, which is consumed by a hold that must have ended. If a call names a hold before
// the call of its acquire, the hold is foretold, and that acquire is a doubt.
type exclusive struct {
	verdict
	kind  model.Kind
	limit int // how often an owner may hold it; 0 is without limit
	// reentrant is set if the lock counts entries by owner, not by hold (Of).
	reentrant bool

	now    int64
	owners map[string]*owner
	// foretold is, by the ID of an acquire not yet called, the number of releases and extensions, under way or of unknown
	// outcome, that name its hold.
	foretold map[int]int
	// asks are the acquires of unknown outcome, by ID; open is the number of those under way.
	asks map[int]*ask
	open int
	// held are the holds that may exist although their owner has another, by the ID of their acquire.
	held map[int]*hold
	last *hold // the hold that began last
	// covered is the last event at which the lock may have been held, certain the last one at which it certainly was, and
	// vacant the last one at which it certainly was not.
	covered, certain, vacant int64

	waiting *model.Call // the first to return of the tries in the present gap
	hopes   int         // the number of acquires that may still explain it

	fence     *model.Call // with the greatest token
	forced    *model.Call // the first acquire of unknown outcome that must have taken effect
	stretched bool        // a try is explained by no certain hold
}

// owner is the state of one owner. An owner without state is dropped.
type owner struct {
	under *model.Call // the call under way
	ask   ask         // that call, if it is an acquire
	early bool        // it names a foretold hold
	hold  *hold       // the last one, if it is not known to have ended
	// credits is the number of releases of unknown outcome that may still end an entry.
	credits int
	pending []*ask // acquires of unknown outcome
	// doomed is set if the entry of one of them may end by itself, and the hold with it.
	doomed bool
}

// ask is an acquire that is under way, or of unknown outcome.
type ask struct {
	call *model.Call
	// loose is set if its hold may have ended: its owner has released something since, or crashed. since is the first event at
	// which it may have ended.
	loose bool
	since int64
	// lapses is set if its hold may end by itself, because of a crash or an expiry.
	lapses bool
}

// loosen notes that the acquire's hold may end from an event on.
func (a *ask) loosen(at int64) {
	if !a.loose {
		a.loose, a.since = true, at
	}
}

// hold is an owner's hold, from its first entry to its end.
type hold struct {
	owner         *owner
	first, latest *model.Call // entries
	// lo and hi are the numbers of entries if a lapsed hold has ended and if it has not, not counting credits. Once its owner
	// has entered again it no longer lapses, but it may be open which of the two holds (split).
	lo, hi int
	until  int64
	// lapsed is set if it may have ended by itself, releasing while a release is under way.
	lapsed, releasing bool
	by                *model.Call // the call that may end it, while releasing
	// mortal is set if no extension can keep it: its client crashed, or its end is known. vague is set if it may be another
	// hold of the same owner.
	mortal, vague bool
	ended         bool
	next          *model.Call // the acquire of the first hold that is certain to have begun after
	token         *model.Call
}

// gone reports whether the hold may have ended.
func (h *hold) gone() bool { return h.ended || h.lapsed || h.releasing || h.owner.credits >= h.lo }

// split reports whether it is open if the hold had ended when its owner entered again. Later answers must agree on that:
// the hold has one end, unlike a lapsed hold, which may end at any later event.
func (h *hold) split() bool { return !h.ended && !h.lapsed && h.lo < h.hi }

const splits = "It is not known whether a hold that may have ended by itself had ended when its owner acquired again. " +
	"A record of its end would settle it."

// since returns the event from which the hold is certain.
func (h *hold) since() int64 {
	if h.vague {
		return h.latest.Return
	}
	return h.first.Return
}

func newExclusive(kind model.Kind, limit int) *exclusive {
	return &exclusive{
		kind: kind, limit: limit, reentrant: kind == model.KindReentrant || kind == model.KindReentrantFenced,
		owners: make(map[string]*owner), asks: make(map[int]*ask), held: make(map[int]*hold),
		foretold: make(map[int]int),
		covered:  -1, certain: -1, vacant: -1,
	}
}

// at advances to an event.
func (m *exclusive) at(event int64) {
	if m.last != nil && m.last.until != 0 && event >= m.last.until {
		m.last.lapse()
	}
	if m.last == nil || m.last.ended {
		m.vacant = event
	}
	m.now = event
	m.cover()
}

// cover notes whether the lock is held now.
func (m *exclusive) cover() {
	if m.last == nil || m.last.ended {
		return
	}
	m.covered = m.now
	if !m.last.gone() {
		m.certain = m.now
	}
}

func (h *hold) lapse() { h.lapsed, h.lo = true, 0 }

func (m *exclusive) Call(c *model.Call) {
	if m.over() {
		return
	}
	m.at(c.Call)
	switch c.Op {
	case model.Crash:
		m.crash(c)
		return
	case model.Expire:
		m.expire(c)
		return
	}
	o := m.owner(c.Holder())
	if o.under != nil {
		if !o.under.Pending() { // it will certainly be answered
			m.gives(overlapping)
			return
		}
		m.settle(o)
	}
	o.under = c
	if o.doomed {
		m.gives(doomed)
		return
	}
	if m.reentrant { // its hold may be entered again, and so released
		m.loosen(o, 0)
	}
	switch c.Op {
	case model.Acquire:
		if m.foretold[c.ID] > 0 {
			m.gives(foretold)
			return
		}
		o.ask = ask{call: c}
		if o.credits > 0 {
			o.ask.loosen(c.Call)
		}
		m.open++
	case model.Release:
		m.leave(o, c)
	case model.Extend: // it may bring the end forward
		if h := m.meant(o, c); h != nil && h.next == nil {
			m.ending(h, c)
			return
		}
		m.foretells(o, c)
	}
}

// foretells notes that a release or an extension names a hold that does not exist yet.
func (m *exclusive) foretells(o *owner, c *model.Call) {
	if c.Of == 0 || m.reentrant || m.asks[c.Of] != nil {
		return
	}
	if m.asked(c.Of) != nil {
		m.gives(meanwhile)
		return
	}
	o.early = true
	m.foretold[c.Of]++
}

// answered corrects foretold: a call that was answered before the call of a hold's acquire does not name that hold.
func (m *exclusive) answered(o *owner, c *model.Call) {
	if !o.early {
		return
	}
	o.early = false
	if m.foretold[c.Of]--; m.foretold[c.Of] == 0 {
		delete(m.foretold, c.Of)
	}
}

// ending notes that a call is under way that may end a hold.
func (m *exclusive) ending(h *hold, c *model.Call) {
	if h.releasing {
		m.gives(twice)
	}
	h.releasing, h.by = true, c
}

func (m *exclusive) owner(name string) *owner {
	o := m.owners[name]
	if o == nil {
		o = &owner{}
		m.owners[name] = o
	}
	return o
}

// forget drops an owner that has nothing.
func (m *exclusive) forget(name string) {
	if o := m.owners[name]; o.under == nil && o.hold == nil && o.credits == 0 && len(o.pending) == 0 {
		delete(m.owners, name)
	}
}

// leave handles the call of a release: the hold that it names may end from now on.
func (m *exclusive) leave(o *owner, c *model.Call) {
	if h := m.meant(o, c); h != nil && h.next == nil {
		m.ending(h, c)
		return
	}
	m.foretells(o, c)
	m.loosen(o, c.Of)
}

// loosen notes that the holds of an owner's acquires of unknown outcome, or of one of them, may end.
func (m *exclusive) loosen(o *owner, of int) {
	if of != 0 && !m.reentrant {
		if a := m.asked(of); a != nil {
			a.loosen(m.now)
		}
		return
	}
	for _, a := range o.pending {
		a.loosen(m.now)
	}
}

// meant returns the hold that a release or an extension names, nil if there is none.
func (m *exclusive) meant(o *owner, c *model.Call) *hold {
	if m.reentrant || c.Of == 0 {
		return o.hold
	}
	if o.hold != nil && o.hold.first.ID == c.Of {
		return o.hold
	}
	for _, x := range m.owners { // unordered: there is one
		if x.hold != nil && x.hold.first.ID == c.Of {
			return x.hold
		}
	}
	return m.held[c.Of]
}

// each calls f with the acquires that are under way, or of unknown outcome.
func (m *exclusive) each(f func(*ask)) {
	for _, a := range m.asks { // unordered: f looks at each by itself
		f(a)
	}
	for _, o := range m.owners { // unordered: as above
		if o.under != nil && o.under.Op == model.Acquire {
			f(&o.ask)
		}
	}
}

// asked returns the acquire with the ID that is under way or of unknown outcome.
func (m *exclusive) asked(id int) (found *ask) {
	if id == 0 {
		return nil
	}
	m.each(func(a *ask) {
		if a.call.ID == id {
			found = a
		}
	})
	return found
}

func (m *exclusive) Return(c *model.Call) {
	if m.over() {
		return
	}
	m.at(c.Return)
	o := m.owners[c.Holder()]
	if o == nil || o.under != c {
		m.gives(overlapping)
		return
	}
	if c.Outcome == model.Unknown {
		m.settle(o)
		return
	}
	o.under = nil
	m.answered(o, c)
	if o.doomed {
		m.gives(doomed)
		return
	}
	switch c.Op {
	case model.Acquire:
		m.open--
		if c.Outcome == model.OK {
			m.acquired(o, c, o.ask)
		} else {
			m.refused(o, c)
		}
	case model.Release:
		m.released(o, c)
	case model.Extend:
		if c.Outcome == model.OK {
			m.extended(o, c)
		} else if h := m.meant(o, c); h != nil && h.releasing && h.by == c {
			m.remains(h)
		}
	}
	m.forget(c.Holder())
	m.cover()
}

func (m *exclusive) End() {
	if m.over() {
		return
	}
	for _, o := range m.owners { // unordered: owners do not affect each other here
		if o.under != nil {
			m.settle(o)
		}
	}
	if m.forced != nil && m.stretched {
		m.doubts("An acquire of unknown outcome must have taken effect, for a release of it succeeded, and the failure of a try " +
			"depends on when. Its answer, or one release less, would settle it.")
	}
}

// settle treats the call under way as one of unknown outcome.
func (m *exclusive) settle(o *owner) {
	c := o.under
	o.under, o.early = nil, false
	switch c.Op {
	case model.Acquire:
		m.open--
		a := &ask{}
		*a = o.ask
		m.asks[c.ID] = a
		if o.credits > 0 || m.kind == model.KindLeased { // the length of the lease is not known either
			a.loosen(m.now)
		}
		o.pending = append(o.pending, a)
		o.doomed = o.doomed || a.lapses && m.reentrant
	case model.Release:
		h := m.meant(o, c)
		m.loosen(o, c.Of)
		if !m.reentrant && c.Of != 0 {
			if h != nil { // it can name no other hold
				h.releasing, h.mortal = false, true
				h.lapse()
			}
			return
		}
		o.credits++
		if h == nil || !h.releasing || h.by != c {
			return
		}
		m.remains(h)
	case model.Extend:
		if h := m.meant(o, c); h != nil && h.releasing && h.by == c {
			m.remains(h)
		}
	}
}

// remains handles a call that did not end a hold, although others may have.
func (m *exclusive) remains(h *hold) {
	h.releasing = false
	if h.next != nil && !h.lapsed {
		m.consume(h, h.next.Return)
	}
}

// consume accounts for a hold that must have ended, by releases of unknown outcome alone, when another began.
func (m *exclusive) consume(h *hold, at int64) {
	if h.owner.credits < h.lo {
		m.overlap(h, h.next, at)
		return
	}
	if h.lo != h.hi && h.owner.credits > 0 {
		m.doubts("It is not known how many entries a hold had when it ended, because of releases of unknown outcome. Their answers would settle it.")
	}
	h.owner.credits -= h.lo
}

// overlap records the violation of two holds at once.
func (m *exclusive) overlap(h *hold, other *model.Call, at int64) {
	if h.first.Return == other.Return {
		m.gives(tied)
		return
	}
	m.violate(Exclusion, at, fmt.Sprintf(
		"%s held the lock from event %d on, and nothing that took effect had begun to end that hold when the acquire of %s returned at event %d. %s",
		holder(h.first), h.first.Return, holder(other), other.Return, shortest), h.first, h.latest, other)
}
