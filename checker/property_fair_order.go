package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// FairOrder is judged of locks that promise an order. It is violated when the lock is
// granted to one client while another in its queue ([Options].Queue,
// [Options].Ownership) came before, in the order in which the store saw them. A client
// that was taken out of the queue has lost its place; so has one whose place was lost
// in a failover or a restart. Not applicable without a queue, or if it stayed empty.
const FairOrder = "fair-order"

var fairOrder = Property{
	ID: FairOrder, Letter: "Q", Legend: "granted out of the order of its queue",
	About: "clients in the lock's queue get the lock in the order in which the store saw them join",
	Description: model.Description{
		Asks:   "The lock is granted in the order in which it was asked for.",
		Window: "overtaken",
	},
	Doc: "A lock that promises an order (`Queue` in its `cell.Reading`) gives nobody the lock while a client that came before waits " +
		"in its queue. Such locks are judged by it without naming it.",
	MayBeLimit: true, Promised: true,
	Verdict: (*Judge).fairOrder,
}

// fairOrder goes by the order in which the store saw the names join the queue, and not
// by the order of the calls: an earlier call may arrive later. A client that was taken
// out of the queue without the lock has lost its place, and has a new one when it joins
// again.
func (j *Judge) fairOrder() model.Verdict {
	if j.o.Queue == "" || j.o.Ownership == nil {
		return notApplicable("The lock promises no order: no " + j.record() + " is known to be its queue.")
	}
	q := queue{j: j}
	var found worst
	for i := range j.h.Observations {
		if v, bad := q.see(&j.h.Observations[i]); bad && found.add(v) {
			break
		}
	}
	if !q.queued {
		return notApplicable("Nobody waited in the queue.")
	}
	return found.or(holds())
}

// queue is the queue of a lock at the serving node, over failovers.
type queue struct {
	j       *Judge
	records model.Records
	// places are those in the queue, in order, and had is the place that a name
	// had last.
	places []place
	had    []place
	// holders are those that the records of the lock name.
	holders []string
	// forgot is set while it is not known who has the lock, and unseen while it is
	// not known who is in the queue.
	forgot, unseen bool
	elected        string // the place that was elected last to serve, empty if none
	came           int    // how many have come in all
	queued         bool
}

// place is a place in the queue.
type place struct {
	name   string
	number int // from 1, in the order of coming
	since  *model.Observation
	// found is set if it was there when the queue was seen again after a crash:
	// unknown clients may have been ahead of it.
	found bool
}

func (q *queue) see(o *model.Observation) (v model.Verdict, bad bool) {
	switch {
	case o.Kind == model.Crashed && q.j.isClient(o.Node):
		return v, false // its name stays in the queue; see waits
	case o.Kind == model.Promoted || o.Kind == model.Crashed || o.Kind == model.RecordDropped || q.j.moves(o):
		q.places, q.holders, q.forgot, q.unseen = nil, nil, true, true // what the store has forgotten is no order
		if q.records.See(o); o.Kind == model.Promoted && o.Epoch > 0 {
			q.elected = o.Place()
		}
		return v, false
	case o.Authority == "", q.elected != "" && o.Place() != q.elected && q.j.sameServer(o.Place(), q.elected):
		q.records.See(o) // a follower's, or those of a node that has been replaced
		return v, false
	case o.Key == q.j.o.Queue:
		q.reorder(o)
		return v, false
	}
	before, after := q.shares(o)
	rests := func(s model.Share) bool { return s.Key == o.Key }
	if !slices.ContainsFunc(before, rests) && !slices.ContainsFunc(after, rests) {
		return v, false // nobody has the lock by this record
	}
	holders := make([]string, len(after))
	for i := range after {
		holders[i] = after[i].Holder
		if !q.forgot && !slices.Contains(q.holders, holders[i]) && !bad {
			v, bad = q.granted(holders[i], o)
		}
	}
	q.holders, q.forgot = holders, false
	return v, bad
}

// shares are the shares at the place of an observation: before it, with the record
// that it shows, and after it, without the record if that is gone. A record that
// cannot be read grants nothing.
func (q *queue) shares(o *model.Observation) (before, after []model.Share) {
	switch o.Kind {
	case model.RecordExpired, model.RecordDeleted:
		was := *o
		was.Kind = model.RecordChanged
		q.records.See(&was)
		before = q.granting(o)
	}
	if q.records.See(o) {
		after = q.granting(o)
	}
	return before, after
}

func (q *queue) granting(o *model.Observation) []model.Share {
	shares, err := q.j.o.Ownership.Shares(q.records.At(o.Place()))
	if err != nil {
		return nil
	}
	return shares
}

// reorder updates the places from the queue's value.
func (q *queue) reorder(o *model.Observation) {
	var names []string
	if o.Kind == model.RecordCreated || o.Kind == model.RecordChanged {
		names = o.Stored().Names()
	}
	var now []place
	for _, name := range names {
		i := slices.IndexFunc(q.places, func(p place) bool { return p.name == name })
		if i >= 0 {
			now = append(now, q.places[i])
			continue
		}
		q.came++
		q.queued = true
		now = append(now, place{name: name, number: q.came, since: o, found: q.unseen})
	}
	for _, p := range q.places {
		if !slices.Contains(names, p.name) {
			q.had = append(slices.DeleteFunc(q.had, func(h place) bool { return h.name == p.name }), p)
		}
	}
	q.places, q.unseen = now, false
}

// granted judges a grant of the lock to a name: no place in the queue may be before
// the one that the name has, or has just had.
func (q *queue) granted(name string, o *model.Observation) (v model.Verdict, bad bool) {
	number, known := q.came+1, false
	for _, list := range [][]place{q.had, q.places} {
		for _, p := range list {
			if p.name == name {
				number, known = p.number, true
			}
		}
	}
	for _, p := range q.places {
		if p.name != name && p.number < number && (known || !p.found) && q.waits(&p, o.Seq) {
			return q.passedOver(p, o), true
		}
	}
	return v, false
}

// waits reports whether a place has a waiter: its client has not crashed, and the
// Acquires of its thread are not over.
func (q *queue) waits(p *place, seq int64) bool {
	y := q.j.h.Operation(p.since.By.Op)
	if y == nil || y.Kind != model.Acquire {
		return true // not known who does
	}
	if crash := q.j.crashAfter(y.Client, y.Call.Seq); crash.Happened() && crash.Seq < seq {
		return false
	}
	return slices.ContainsFunc(q.j.h.Operations, func(x model.Operation) bool {
		return x.Kind == model.Acquire && sameThread(&x, y) && waitsAt(&x, seq)
	})
}

// passedOver is the verdict on a lock that was granted to another while a client
// was first in the queue.
func (q *queue) passedOver(first place, o *model.Observation) model.Verdict {
	winner, loser := q.j.acquisitionOf(o.By), q.j.acquisitionOf(first.since.By)
	sentence := q.j.clientOf(o.By) + " got the lock, although " + q.j.clientOf(first.since.By) +
		" had waited in its queue for longer: " + forTime(o.At-first.since.At) + "."
	cause, since := OutOfTurn, first.since.Seq
	if x := q.j.h.Operation(winner); x != nil {
		since = min(since, x.Call.Seq)
	}
	if forgets := q.j.forgetting(since, o.Seq); forgets != "" { // the queue, or who had left it
		cause = forgets
	} else if o.Place() != first.since.Place() {
		cause = StoreForgot
	}
	return with(violated(sentence, first.since.Stamp, o.Stamp, []int{winner, loser}, []int64{first.since.Seq, o.Seq}), cause)
}
