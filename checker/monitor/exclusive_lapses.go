package monitor

import "github.com/lockpick-dev/lockpick/model"

// crash handles a crash: holds and pending acquires of the process may end from now on.
func (m *exclusive) crash(c *model.Call) {
	if m.last != nil && m.last.latest.Client == c.Client {
		m.last.mortal = true
		m.last.lapse()
	}
	m.each(func(a *ask) {
		if a.call.Client == c.Client {
			m.lapses(a)
		}
	})
}

// expire handles an expiry: the hold may end from now on.
func (m *exclusive) expire(c *model.Call) {
	if m.last != nil && m.last.latest.ID == c.Of {
		m.last.mortal = true
		m.last.lapse()
	}
	if a := m.asked(c.Of); a != nil {
		m.lapses(a)
	}
}

// lapses notes that an acquire's hold may end by itself from now on. If it enters an existing hold, that may end too.
func (m *exclusive) lapses(a *ask) {
	a.lapses = true
	a.loosen(m.now)
	if !m.reentrant {
		return
	}
	o := m.owners[a.call.Holder()]
	holds := m.last != nil && m.last.owner == o && !m.last.ended
	switch {
	case o.under != a.call:
		o.doomed = true
		if holds {
			m.lapsesWith(m.last)
		}
	case holds:
		m.gives(doomed)
	}
}

// lapsesWith handles the end by itself of an entry of unknown outcome: the hold ends with it if the entry was possible.
func (m *exclusive) lapsesWith(h *hold) {
	switch {
	case m.limit == 0 || h.hi < m.limit:
		h.lapse()
	case h.lo >= m.limit && !h.gone() && h.owner.credits == 0: // the entry was impossible
	case !h.lapsed:
		m.gives(doomed)
	}
}
