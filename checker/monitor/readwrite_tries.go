package monitor

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// refused handles an acquire that failed.
func (m *readWrite) refused(p *party, c *model.Call) {
	for _, w := range []*waiting{&m.toRead, &m.toWrite} {
		if mode := modeOf(c.Op); w.try != nil && c.Call <= w.try.Return && w.hopes[mode] > 0 {
			w.hopes[mode]--
		}
	}
	if c.Try {
		m.tried(p, c)
	}
	m.hopeless(nil)
}

// tried handles a try that failed.
func (m *readWrite) tried(p *party, c *model.Call) {
	if len(p.modes[reads].pending)+len(p.modes[writes].pending) > 0 {
		m.doubts("A try failed, and an earlier acquire of the same owner has no known outcome. Its answer would settle it.")
		return
	}
	if h := m.writer; h != nil && h.owner == &p.modes[writes] {
		if !h.gone() {
			m.violate(Try, m.now, fmt.Sprintf("the try of %s to %s failed (%s), though it held the lock to write itself from event %d on.",
				holder(c), purpose(c), interval(c), h.first.Return), h.first, h.latest, c)
		} else {
			m.doubts("The try of a writer failed whose hold may have ended. The answers of its calls of unknown outcome would settle it.")
		}
		return
	}
	w, covered := &m.toRead, m.writtenBeside(p)
	if modeOf(c.Op) == writes { // a reader's own hold does not let it write
		w, covered = &m.toWrite, max(m.read, covered)
	}
	switch {
	case covered >= c.Call:
		return
	case w.try != nil:
		m.share(w)
		return
	}
	w.try, w.hopes = c, [2]int{}
	for _, a := range m.asks { // unordered: a count
		w.hopes[modeOf(a.call.Op)]++
	}
	if modeOf(c.Op) == reads {
		w.hopes[reads] = 0
		if slices.ContainsFunc(m.readers, func(h *hold) bool { return !h.gone() }) {
			w.hopes[writes] = 0
		}
	}
}

// share records a doubt if the explanation of the waiting try need not explain another try since.
func (m *readWrite) share(w *waiting) {
	for _, a := range m.asks { // unordered: one is enough
		if a.loose && a.call.Call <= w.try.Return {
			m.doubts("Several tries failed while nobody is known to have been in their way, and an acquire of unknown outcome, which may have ended since, " +
				"may explain some. Its answer would settle it.")
		}
	}
}

// explain handles the return of a successful acquire while tries may wait.
func (m *readWrite) explain(c *model.Call, a *ask) {
	for _, w := range []*waiting{&m.toRead, &m.toWrite} {
		mode := modeOf(c.Op)
		switch {
		case w.try == nil:
		case c.Call <= w.try.Return && w.hopes[mode] > 0:
			w.try = nil
		case mode == writes:
			w.hopes = [2]int{}
		case a.loose && max(c.Call, a.since) <= w.try.Return && w.hopes[writes] > 0:
			m.doubts("A try failed while nobody is known to have been in its way, and a reader may have come and gone before a writer did whose acquire has no known outcome. " +
				"Its answer would settle it.")
			w.try = nil
		default: // a reader was let in: no writer had the lock until now
			w.hopes[writes] = 0
		}
	}
	m.hopeless(c)
}

// apart records a doubt if at the end a try to read and one to write wait, and no writer of unknown outcome can explain
// both: a reader that explains the one may exclude the writer that explains the other.
func (m *readWrite) apart() {
	if m.toRead.try == nil || m.toWrite.try == nil {
		return
	}
	for _, a := range m.asks { // unordered: one is enough
		if modeOf(a.call.Op) == writes && !a.loose && m.toWrite.hopes[writes] > 0 && a.call.Call <= min(m.toRead.try.Return, m.toWrite.try.Return) {
			return
		}
	}
	m.doubts("A try to read and one to write failed while nobody is known to have been in their way, and one acquire of unknown outcome cannot explain both. " +
		"The answers of those would settle it.")
}

// hopeless ends the waits of tries that nothing can explain any more. next is the acquire that may have ended them.
func (m *readWrite) hopeless(next *model.Call) {
	for _, w := range []*waiting{&m.toRead, &m.toWrite} {
		if w.try != nil && w.hopes[reads]+w.hopes[writes] <= 0 {
			m.unexplained(w.try, next)
			w.try = nil
		}
	}
}

func (m *readWrite) unexplained(t, next *model.Call) {
	for _, a := range m.asks { // unordered: one is enough
		if a.loose && a.call.Call <= t.Return {
			m.doubts("A try failed while nobody is known to have been in its way, but an acquire of unknown outcome may have had the lock then. Its answer would settle it.")
			return
		}
	}
	calls := []*model.Call{t, next}
	sentence := fmt.Sprintf("the try of %s to %s failed (%s), though nobody can have held the lock", holder(t), purpose(t), interval(t))
	if modeOf(t.Op) == reads {
		sentence = fmt.Sprintf("the try of %s to read failed (%s), though nobody else can have held the lock to write", holder(t), interval(t))
		for _, h := range m.readers {
			if !h.gone() {
				sentence += fmt.Sprintf(": %s was reading from event %d on", holder(h.first), h.first.Return)
				calls = append(calls, h.first)
				break
			}
		}
	}
	if next != nil {
		sentence += fmt.Sprintf("; the next acquire to succeed, of %s, to %s, was called at event %d and returned at event %d",
			holder(next), purpose(next), next.Call, next.Return)
	}
	m.violate(Try, m.now, sentence+". "+longest, calls...)
}
