package monitor

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// latch judges a count-down latch.
//
// Let down be the sum that has been counted down. It only grows, and a smaller sum leaves more answers legal later, as
// long as those so far are accounted for. So the monitor keeps it as small as possible: a CountDown counts when it
// returns, and before that only if an answer requires it, at the return of that answer.
//
//   - An Await that succeeded, and a Read, need a minimum of down when they
//     return: whatever is missing is taken from the CountDowns under way (see
//     slots).
//   - An Await that was a try and failed, and a Read, allow a maximum of down
//     when they are called.
//
// If every CountDown counts by one, down takes every value in between, and that is enough. A CountDown by more may skip
// the value of a Read: whether some of the CountDowns under way have exactly the needed sum is not judged, and is a doubt.
// Awaits need no exact sum: at the first that succeeds all CountDowns under way may count at once, since the count cannot
// go below zero.
type latch struct {
	verdict
	count int64
	down  int64
	// seen is, for each Read or Await under way, the value of down at its call.
	seen map[int]int64

	slots
	weighted bool // some CountDown counts by more than one

	// zero is, in a weighted history, the first Await or Read that needs CountDowns under way for a count of zero. need is how
	// much is missing, and hope how much of it may still come.
	zero       *model.Call
	need, hope int64
	under      int64 // the sum of the CountDowns under way
}

func newLatch(count int64) *latch {
	return &latch{count: count, seen: make(map[int]int64)}
}

func (m *latch) Call(c *model.Call) {
	switch {
	case m.over():
	case c.Op == model.CountDown:
		if c.Amount() > 1 {
			m.weigh()
		}
		m.under += c.Amount()
		m.called(c.Call)
	case c.Op != model.Crash:
		m.seen[c.ID] = m.down
	}
}

// weigh notes that a CountDown counts by more than one.
func (m *latch) weigh() {
	if !m.weighted && len(m.free) > 0 {
		m.gives("A CountDown by more than one came while others were owed, which is not judged.")
	}
	m.weighted = true
}

func (m *latch) End() {}

func (m *latch) Return(c *model.Call) {
	if m.over() || c.Outcome == model.Unknown {
		return
	}
	if c.Op == model.CountDown {
		m.counted(c)
		return
	}
	before := m.seen[c.ID]
	delete(m.seen, c.ID)
	switch {
	case c.Op == model.Await && c.Outcome == model.OK:
		m.atLeast(c, m.count)
	case c.Op == model.Await && c.Outcome == model.Failed && c.Try && before >= m.count:
		m.violate(Stayed, c.Return, fmt.Sprintf("the try of %s failed (%s), though the latch was at zero: %d were counted down by then.",
			holder(c), interval(c), before), c)
	case c.Op == model.Read && c.Outcome == model.OK && c.Valued:
		m.read(c, before)
	}
}

// counted handles a CountDown that was answered.
func (m *latch) counted(c *model.Call) {
	m.left(c.Call)
	m.under -= c.Amount()
	owed := m.zero != nil && c.Call <= m.zero.Return
	if owed {
		m.hope -= c.Amount()
	}
	if c.Outcome == model.Failed {
		if !m.enough() || m.zero != nil && m.hope < m.need {
			m.violate(Passed, c.Return, fmt.Sprintf("%s had not counted down, and without it nobody can have: an Await or a Read before saw a lower count.",
				holder(c)), c, m.zero)
		}
		return
	}
	switch {
	case owed:
		m.need = max(0, m.need-c.Amount())
	case m.zero != nil || m.fill(c.Call): // accounted for
	default:
		m.down += c.Amount()
	}
}

// atLeast handles an answer that needs down to be at least want.
func (m *latch) atLeast(c *model.Call, want int64) {
	missing := want - m.down
	if missing <= 0 {
		return
	}
	if missing > m.under-m.reserved() {
		m.violate(Passed, c.Return, fmt.Sprintf("the %s of %s returned at event %d, though at most %d of %d had been counted down: %d for certain, and %d by calls under way.",
			c.Op, holder(c), c.Return, m.down+m.under-m.reserved(), want, m.down, m.under-m.reserved()), c)
		return
	}
	if m.weighted {
		m.zero, m.need, m.hope = c, missing, m.under
		m.down = want
		return
	}
	m.open(int(missing), c.Return)
	m.down = want
}

// reserved returns how much of the CountDowns under way is accounted for.
func (m *latch) reserved() int64 { return int64(len(m.free)) }

// read handles a Read that was answered; before is the value of down at its call.
func (m *latch) read(c *model.Call, before int64) {
	want := m.count - c.Value
	switch {
	case c.Value < 0 || want < 0:
		m.violate(Stayed, c.Return, fmt.Sprintf("%s read %d, which is no count of a latch that counts down from %d.", holder(c), c.Value, m.count), c)
	case c.Value == 0:
		m.atLeast(c, want)
	case before > want:
		m.violate(Stayed, c.Return, fmt.Sprintf("%s read %d (%s), though %d of %d had been counted down by then.",
			holder(c), c.Value, interval(c), min(before, m.count), m.count), c)
	case m.weighted && want > m.down && want-m.down > m.under:
		m.atLeast(c, want)
	case m.weighted && want != before && want != m.down:
		m.doubts("A Read saw a count between zero and where the latch began, and CountDowns count by more than one: " +
			"which of them had counted is not judged. The times at which they did would settle it.")
	default:
		m.atLeast(c, want)
	}
}
