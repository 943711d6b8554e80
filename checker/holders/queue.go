package holders

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// Queue is the queue of a lock at the serving node, over failovers.
type Queue struct {
	hs      *Holders
	records model.Records
	// Places are the places in the queue, in order. had has the last place of each name that has left it.
	Places []Place
	had    []Place
	// holders are the names of the holders in the lock's records.
	holders []string
	// forgot is set while the holder of the lock is not known, unseen while the members of the queue are not known.
	forgot, unseen bool
	elected        string // the node elected last to serve, empty if none
	came           int    // how many have joined in all
	// Queued is set once anybody has been in the queue.
	Queued bool
}

// NewQueue returns the queue of the lock, before any observation.
func (hs *Holders) NewQueue() Queue { return Queue{hs: hs} }

// Place is a place in the queue.
type Place struct {
	name   string
	number int // from 1, in the order of coming
	// Since is the observation by which the name joined the queue.
	Since *model.Observation
	// found is set if the place was there when the queue was seen again after a crash: unknown clients may have been ahead of
	// it.
	found bool
}

// See takes an observation into account. If it grants the lock to a client while another waits in the queue before it, bad is
// set and over is the place of the other.
func (q *Queue) See(o *model.Observation) (over Place, bad bool) {
	switch {
	case o.Kind == model.Crashed && q.hs.IsClient(o.Node):
		return over, false // its name remains in the queue; see waits
	case o.Kind == model.Promoted || o.Kind == model.Crashed || o.Kind == model.RecordDropped || q.hs.Moves(o):
		q.Places, q.holders, q.forgot, q.unseen = nil, nil, true, true // the store may have forgotten the order
		if q.records.See(o); o.Kind == model.Promoted && o.Epoch > 0 {
			q.elected = o.Place()
		}
		return over, false
	case o.Authority == "", q.elected != "" && o.Place() != q.elected && q.hs.SameServer(o.Place(), q.elected):
		q.records.See(o) // a follower's, or those of a node that has been replaced
		return over, false
	case o.Key == q.hs.o.Queue:
		q.reorder(o)
		return over, false
	}
	before, after := q.shares(o)
	rests := func(s model.Share) bool { return s.Key == o.Key }
	if !slices.ContainsFunc(before, rests) && !slices.ContainsFunc(after, rests) {
		return over, false // this record gives no client the lock
	}
	holders := make([]string, len(after))
	for i := range after {
		holders[i] = after[i].Holder
		if !q.forgot && !slices.Contains(q.holders, holders[i]) && !bad {
			over, bad = q.granted(holders[i], o)
		}
	}
	q.holders, q.forgot = holders, false
	return over, bad
}

// shares returns the shares at the place of an observation: before it, with the record
// that it shows, and after it, without the record if that is gone. A record that
// cannot be read grants nothing.
func (q *Queue) shares(o *model.Observation) (before, after []model.Share) {
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

func (q *Queue) granting(o *model.Observation) []model.Share {
	shares, err := q.hs.o.Ownership.Shares(q.records.At(o.Place()))
	if err != nil {
		return nil
	}
	return shares
}

// reorder updates the places from the queue's value.
func (q *Queue) reorder(o *model.Observation) {
	var names []string
	if o.Kind == model.RecordCreated || o.Kind == model.RecordChanged {
		names = o.Stored().Names()
	}
	var now []Place
	for _, name := range names {
		i := slices.IndexFunc(q.Places, func(p Place) bool { return p.name == name })
		if i >= 0 {
			now = append(now, q.Places[i])
			continue
		}
		q.came++
		q.Queued = true
		now = append(now, Place{name: name, number: q.came, Since: o, found: q.unseen})
	}
	for _, p := range q.Places {
		if !slices.Contains(names, p.name) {
			q.had = append(slices.DeleteFunc(q.had, func(h Place) bool { return h.name == p.name }), p)
		}
	}
	q.Places, q.unseen = now, false
}

// granted returns a place with a waiter ahead of the place that a name has, or has just had, when the lock is granted to
// that name.
func (q *Queue) granted(name string, o *model.Observation) (over Place, bad bool) {
	number, known := q.came+1, false
	for _, list := range [][]Place{q.had, q.Places} {
		for _, p := range list {
			if p.name == name {
				number, known = p.number, true
			}
		}
	}
	for _, p := range q.Places {
		if p.name != name && p.number < number && (known || !p.found) && q.waits(&p, o.Seq) {
			return p, true
		}
	}
	return over, false
}

// waits reports whether a place has a waiter: its client has not crashed, and the
// Acquires of its thread are not over.
func (q *Queue) waits(p *Place, seq int64) bool {
	y := q.hs.h.Operation(p.Since.By.Op)
	if y == nil || y.Kind != model.Acquire {
		return true // the client is not known
	}
	if crash := q.hs.CrashAfter(y.Client, y.Call.Seq); crash.Happened() && crash.Seq < seq {
		return false
	}
	return slices.ContainsFunc(q.hs.h.Operations, func(x model.Operation) bool {
		return x.Kind == model.Acquire && SameThread(&x, y) && waitsAt(&x, seq)
	})
}
