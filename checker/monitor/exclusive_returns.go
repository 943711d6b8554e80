package monitor

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// acquired handles an acquire that succeeded.
func (m *exclusive) acquired(o *owner, c *model.Call, a ask) {
	if m.waiting != nil {
		m.explain(c)
	}
	h := m.last
	if h != nil && !h.ended && h.owner == o && m.again(h, c, a) {
		return
	}
	if m.early(h, c, a) {
		return
	}
	next := &hold{owner: o, first: c, latest: c, lo: 1, hi: 1, until: c.Until}
	if h != nil && !h.ended {
		h.next = c
		switch {
		case h.releasing: // the answer decides
		case !h.lapsed:
			m.consume(h, m.now)
		case h.owner.credits > 0:
			m.doubts("A hold that may have ended by itself may also have been ended by a release of unknown outcome, " +
				"which could end a later hold instead. The answer of that release would settle it.")
		}
	}
	next.mortal = a.lapses
	if a.lapses || c.Until != 0 && m.now >= c.Until {
		next.lapse()
	}
	if old := o.hold; old != nil && old.releasing {
		m.held[old.first.ID] = old
	}
	m.last, o.hold = next, next
	m.grant(next, c)
}

// early handles an acquire that returned when its hold might have ended already, while another hold existed or may have
// existed. It reports whether this is the case: the hold may then have had no length, at any instant since it might have
// ended.
func (m *exclusive) early(h *hold, c *model.Call, a ask) bool {
	if !a.loose && (c.Until == 0 || m.now < c.Until) {
		return false
	}
	from := c.Until
	if a.loose && (from == 0 || a.since < from) {
		from = a.since
	}
	from = max(from, c.Call)
	if h == nil || h.ended && !c.Fenced {
		return false
	}
	if !h.gone() && h.since() < from {
		m.overlap(h, c, m.now)
		return true
	}
	m.gives(earlier)
	return true
}

// again handles another acquire of the owner whose hold began last. It reports whether that hold goes on.
func (m *exclusive) again(h *hold, c *model.Call, a ask) bool {
	if !m.reentrant {
		return false
	}
	if m.limit != 0 && h.lo >= m.limit {
		used := h.lo + 1 - m.limit
		if h.owner.credits < used {
			m.violate(Exclusion, m.now, fmt.Sprintf("%s entered again, though it was in %d times and the limit is %d.",
				holder(c), h.lo, m.limit), h.first, h.latest, c)
			return true
		}
		h.owner.credits -= used
		h.lo -= used
		h.hi = max(h.lo, h.hi-used)
	}
	if (h.lapsed || h.lo == 0) && h.owner.credits > 0 {
		m.gives(splits)
	}
	h.vague = h.vague || h.gone()
	h.lo++
	h.hi++
	if m.limit != 0 && h.hi > m.limit { // more entries than the lock allows: the hold had ended before
		if h.hi = m.limit; h.lo < h.hi {
			m.doubts(splits)
		}
	}
	h.latest, h.lapsed = c, false
	if a.lapses {
		h.lapse()
	}
	m.grant(h, c)
	return true
}

// grant compares tokens.
func (m *exclusive) grant(h *hold, c *model.Call) {
	if !c.Fenced || m.kind != model.KindFenced && m.kind != model.KindReentrantFenced {
		return
	}
	if h.vague {
		m.gives("It is not known whether a hold that may have ended had ended when its owner acquired again, and so whether its token had to grow. " +
			"A record of its end would settle it.")
		return
	}
	if len(h.owner.pending) > 0 && m.reentrant && m.fence != nil && c.Token <= m.fence.Token {
		m.gives("A token did not grow, but an earlier acquire of the same owner has no known outcome and may have begun the hold. Its answer would settle it.")
		return
	}
	if h.token != nil {
		if c.Token != h.token.Token {
			m.violate(Tokens, m.now, fmt.Sprintf("%s entered again with token %d, but the hold has token %d.",
				holder(c), c.Token, h.token.Token), h.token, c)
		}
		return
	}
	if m.fence != nil && c.Token <= m.fence.Token {
		m.violate(Tokens, m.now, fmt.Sprintf(
			"%s held the lock with token %d, which is not greater than token %d, with which %s had held it before. %s",
			holder(c), c.Token, m.fence.Token, holder(m.fence), shortest), m.fence, c)
		return
	}
	h.token, m.fence = c, c
}

// released handles the answer of a release.
func (m *exclusive) released(o *owner, c *model.Call) {
	h := m.meant(o, c)
	if h != nil && h.releasing && h.by != c {
		m.gives(twice)
		return
	}
	if c.Outcome == model.Failed {
		if h != nil {
			m.ends(h)
		}
		return
	}
	if h == nil {
		m.releasedNothing(o, c)
		return
	}
	if !m.stillThere(o, h, c) {
		return
	}
	if h.split() && h.lo == 0 {
		m.doubts(splits)
	}
	h.lo, h.hi = max(h.lo-1, 0), h.hi-1
	switch {
	case h.hi == 0:
		if h.next != nil && m.reentrant && h.owner.credits > 0 {
			m.doubts(creditOrRelease)
		}
		m.ends(h)
	case h.next != nil && h.lapsed:
		m.ends(h)
	case h.next != nil:
		h.releasing = false
		m.consume(h, m.now)
		if !m.over() {
			m.ends(h)
		}
	default:
		h.releasing = false
	}
}

const creditOrRelease = "It is not known which of several releases ended a hold. The answers of those of unknown outcome would settle it."

// stillThere checks that a hold existed when a successful release or extension of it was called, and reports whether that
// is possible.
func (m *exclusive) stillThere(o *owner, h *hold, c *model.Call) bool {
	if h.next == nil || h.next.Return >= c.Call {
		return true
	}
	if len(o.pending) > 0 {
		m.doubts("A release succeeded although another held the lock since, and an acquire of the same owner has no known outcome. Its answer would settle it.")
		m.ends(h)
		return false
	}
	m.violate(Release, m.now, fmt.Sprintf("the %s of %s succeeded, called at event %d, though %s held the lock from event %d on, and the hold #%d was over. %s",
		c.Op, holder(c), c.Call, holder(h.next), h.next.Return, h.first.ID, shortest), h.first, h.next, c)
	return false
}

// ends handles the end of a hold.
func (m *exclusive) ends(h *hold) {
	h.ended, h.releasing = true, false
	delete(m.held, h.first.ID)
	if h.owner.hold == h {
		h.owner.hold = nil
	}
	if m.last == h {
		m.covered = m.now
	}
}

// releasedNothing handles a release that succeeded although its owner is not known to have had a hold: an acquire of
// unknown outcome must have taken effect before, while no other owner held the lock.
func (m *exclusive) releasedNothing(o *owner, c *model.Call) {
	if len(o.pending) > 1 {
		m.gives(whose)
		return
	}
	for i, a := range o.pending {
		if !m.reentrant && c.Of != 0 && c.Of != a.call.ID {
			continue
		}
		switch free := m.last == nil || m.last.ended; {
		case !free && m.vacant < c.Call && m.last.since() < c.Call && !m.last.gone() && o.credits == 0 && m.last.owner.credits == 0:
			m.violate(Release, m.now, fmt.Sprintf("the release of %s succeeded while %s held the lock, from event %d on. %s",
				holder(c), holder(m.last.first), m.last.first.Return, shortest), m.last.first, a.call, c)
		case !free:
			m.doubts("A release succeeded whose acquire has no known outcome, while another may have held the lock. The answer of that acquire would settle it.")
		}
		if m.forced == nil || a.call.Call < m.forced.Call {
			m.forced = a.call
		}
		o.pending = append(o.pending[:i:i], o.pending[i+1:]...)
		delete(m.asks, a.call.ID)
		return
	}
	if !m.reentrant && m.asked(c.Of) != nil {
		m.doubts("A release succeeded whose acquire, by another, has no known outcome. Its answer would settle it.")
		return
	}
	if m.forced != nil {
		m.gives(whose)
		return
	}
	m.violate(Release, m.now, fmt.Sprintf("the release of %s succeeded, though it held nothing.", holder(c)), c)
}

// extended handles an extension that succeeded.
func (m *exclusive) extended(o *owner, c *model.Call) {
	h := m.meant(o, c)
	switch {
	case h == nil:
	case h.releasing && h.by != c:
		m.gives(twice)
		return
	case c.Of == 0 && len(o.pending) > 0 && (h.lapsed || o.credits >= h.lo):
		m.gives("An extension succeeded, and it is not known whether of a hold that may have ended or of one whose acquire has no known outcome. " +
			"The answer of that acquire, or the number of the hold, would settle it.")
		return
	default:
		h.releasing = false
	}
	switch {
	case h == nil && (len(o.pending) > 0 || m.asked(c.Of) != nil || m.forced != nil):
		m.doubts("An extension succeeded whose acquire has no known outcome. Its answer would settle it.")
	case h == nil:
		m.violate(Release, m.now, fmt.Sprintf("the extension of %s succeeded, though it held nothing.", holder(c)), c)
	case !m.stillThere(o, h, c):
	case h.next != nil && h.mortal:
	case h.next != nil && o.credits > 0:
		m.gives(creditOrRelease)
	case h.next != nil && (c.Until == 0 || c.Until > h.next.Return):
		m.violate(Exclusion, m.now, fmt.Sprintf("%s had extended its hold #%d beyond event %d, at which %s held the lock. %s",
			holder(c), h.first.ID, h.next.Return, holder(h.next), shortest), h.first, h.next, c)
	case h.next == nil:
		h.until, h.lapsed, h.lo = c.Until, false, 1
		if h.mortal || c.Until != 0 && m.now >= c.Until {
			h.lapse()
		}
	}
}
