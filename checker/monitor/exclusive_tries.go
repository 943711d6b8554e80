package monitor

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// refused handles an acquire that failed.
func (m *exclusive) refused(o *owner, c *model.Call) {
	if m.waiting != nil && c.Call <= m.waiting.Return {
		m.hopes--
	}
	if c.Try {
		m.tried(o, c)
	}
	m.hopeless()
}

// tried handles a try that failed.
func (m *exclusive) tried(o *owner, c *model.Call) {
	if m.reentrant && len(o.pending) > 0 {
		m.doubts("A try failed, and an earlier acquire of the same owner has no known outcome. Its answer would settle it.")
	}
	switch h := m.last; {
	case h != nil && !h.ended && h.owner == o && (m.limit == 0 || h.hi < m.limit):
		m.triedOwn(h, c)
		return
	case h != nil && h.owner == o && h.split():
		m.doubts(splits)
		return
	case m.certain >= c.Call:
		return
	case m.covered >= c.Call:
		if m.stretched = true; h.split() && h.lo == 0 {
			m.doubts(splits)
		}
		return
	case m.waiting != nil:
		m.share()
		return
	}
	m.stretched = true
	m.waiting, m.hopes = c, m.open+len(m.asks)
}

// share records a doubt if the explanation of the waiting try need not explain another try since.
func (m *exclusive) share() {
	m.each(func(a *ask) {
		if a.loose && a.call.Call <= m.waiting.Return {
			m.doubts("Several tries failed while nobody is known to have held the lock, and an acquire of unknown outcome, which may have ended since, " +
				"may explain some. Its answer would settle it.")
		}
	})
}

// triedOwn handles a failed try by the owner of a hold that it could have entered again if the hold existed.
func (m *exclusive) triedOwn(h *hold, c *model.Call) {
	if !h.gone() && len(h.owner.pending) == 0 {
		m.violate(Try, m.now, fmt.Sprintf("the try of %s failed (%s), though it held the lock itself from event %d on and could have entered again.",
			holder(c), interval(c), h.first.Return), h.first, h.latest, c)
		return
	}
	m.doubts("The try of an owner failed whose hold may have ended, or may have been entered more often than is known. " +
		"The answers of its calls of unknown outcome would settle it.")
}

// explain handles the return of a successful acquire while a try waits: it is the next acquire after the gap.
func (m *exclusive) explain(c *model.Call) {
	if c.Call > m.waiting.Return {
		m.unexplained(c)
	}
	m.waiting = nil
}

// hopeless ends the wait of a try if nothing can explain it any more.
func (m *exclusive) hopeless() {
	if m.waiting != nil && m.hopes <= 0 {
		m.unexplained(nil)
		m.waiting = nil
	}
}

// unexplained handles a try in a gap. next is the acquire that ended the gap, if one did.
func (m *exclusive) unexplained(next *model.Call) {
	t := m.waiting
	if m.forced != nil && m.forced.Call <= t.Return {
		m.doubts("A try failed while nobody is known to have held the lock, but an acquire of unknown outcome must have taken effect before its release. Its answer would settle it.")
		return
	}
	explained := false
	m.each(func(a *ask) {
		if (a.loose || m.kind == model.KindLeased) && a.call.Call <= t.Return {
			explained = true
			m.doubts("A try failed while nobody is known to have held the lock, but an acquire of unknown outcome may have had it then. Its answer would settle it.")
		}
	})
	if explained {
		return
	}
	sentence := fmt.Sprintf("the try of %s failed (%s), though nobody can have held the lock", holder(t), interval(t))
	calls := []*model.Call{t}
	if m.last != nil && m.last.ended {
		sentence += fmt.Sprintf(": the hold of %s was over by event %d", holder(m.last.first), m.covered)
		calls = append(calls, m.last.first)
	}
	if next != nil {
		sentence += fmt.Sprintf(", and the next acquire, of %s, was called at event %d", holder(next), next.Call)
		calls = append(calls, next)
	}
	m.violate(Try, m.now, sentence+". "+longest, calls...)
}
