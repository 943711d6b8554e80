package sim

import "time"

// row counts the requests of a task that are sent in a row: each at the instant at which
// the one before was answered. The conductor alone uses it.
type row struct {
	answered time.Duration // when the last answer came
	fresh    bool          // nothing was sent since
	now      int           // how many are in the row, 0 before the first
	most     int           // the longest row
}

// BackToBack returns how many requests were sent for the task in a row, at most, each at
// the instant at which its process had the answer to the one before. A task that sleeps
// between its requests has rows of 1, whatever others do meanwhile. An answer is one that
// the server has sent for the task, see [ServerConn.Send]; what a server sends without being
// asked is none. It is for the conductor.
func (t *Task) BackToBack() int { return t.row.most }

// asked notes that a request was sent for the task. Several that one answer has caused count
// as one.
func (t *Task) asked(now time.Duration) {
	if t == nil {
		return
	}
	r := &t.row
	switch {
	case r.now == 0 || r.answered != now:
		r.now = 1
	case r.fresh:
		r.now++
	}
	r.fresh = false
	r.most = max(r.most, r.now)
}

// answered notes that an answer to the task has come.
func (t *Task) answered(now time.Duration) {
	if t != nil {
		t.row.answered, t.row.fresh = now, true
	}
}
