package confirm

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// This file computes what properties need of requests: how long a process was idle, and which requests were sent in a row.

// instant is the time within which a process sends a request that follows from an answer, without a pause between them.
const instant = 2 * time.Millisecond

// wire is the state of a client's requests.
type wire struct {
	busy   int // requests whose answers the client does not have, and one for a pause
	since  time.Time
	total  time.Duration // how long it was busy, until since
	cancel map[int]idle  // the calls whose context has ended, by their operation
}

// idle is the beginning of a cancelled call's idleness.
type idle struct {
	at   time.Time
	busy time.Duration
}

// row is a row of requests of one operation, each sent at the instant at which the one before was answered.
type row struct {
	answered time.Time
	unused   bool // nothing was sent since
	length   int
}

func (d *driver) wire(client string) *wire {
	w := d.wires[client]
	if w == nil {
		w = &wire{cancel: map[int]idle{}}
		d.wires[client] = w
	}
	return w
}

// occupy counts one thing more, or with -1 one less, that keeps a client from being idle.
func (d *driver) occupy(client string, by int) {
	w, now := d.wire(client), time.Now()
	if w.busy > 0 {
		w.total += now.Sub(w.since)
	}
	w.busy, w.since = w.busy+by, now
}

// busyFor returns how long the client was busy so far.
func (w *wire) busyFor(now time.Time) time.Duration {
	if w.busy > 0 {
		return w.total + now.Sub(w.since)
	}
	return w.total
}

// cancelled begins to count how long the operation's process is idle, and idled ends that.
func (d *driver) cancelled(op *model.Operation) {
	w, now := d.wire(op.Client), time.Now()
	op.Cancelled = d.Mark(op.Client, "cancelled")
	w.cancel[op.ID] = idle{now, w.busyFor(now)}
}

func (d *driver) idled(op *model.Operation) {
	if !op.Cancelled.Happened() {
		return
	}
	w, now := d.wire(op.Client), time.Now()
	from := w.cancel[op.ID]
	op.Idle = now.Sub(from.at) - (w.busyFor(now) - from.busy)
}

// arrived records the arrival of a request.
func (d *driver) arrived(r *request) {
	r.by = d.originOf(r.Gate.Client)
	r.by.Conn = r.number
	r.sentFor = r.by.Op
	if r.Number != 0 {
		r.open, r.owed = true, append(r.owed, r)
		d.occupy(r.Gate.Client, 1)
	}
	op := d.History.Operation(r.sentFor)
	if op == nil || op.Kind != model.Acquire || op.Return.Happened() {
		return
	}
	w := d.rows[op.ID]
	if w == nil {
		w = &row{}
		d.rows[op.ID] = w
	}
	switch {
	case w.length == 0 || r.at.Sub(w.answered) > instant:
		w.length = 1
		op.Tries = append(op.Tries, r.at.Sub(d.Began))
	case w.unused:
		w.length++
	}
	w.unused = false
	if w.length >= model.Spinning {
		op.BackToBack = max(op.BackToBack, w.length)
	}
}

// settled records that the client has the answer to a request, or will not get it.
func (d *driver) settled(r *request) {
	if !r.open {
		return
	}
	r.open = false
	r.owed = slices.DeleteFunc(r.owed, func(o *request) bool { return o == r })
	d.occupy(r.Gate.Client, -1)
	if w := d.rows[r.sentFor]; w != nil {
		w.answered, w.unused = time.Now(), true
	}
}

// lost records that a client gets no more answers on a connection.
func (d *driver) lost(k *link) {
	for len(k.owed) > 0 {
		d.settled(k.owed[0])
	}
}
