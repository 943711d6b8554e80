package render

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// stretch is a transaction of a session, or a wait of one for a record.
type stretch struct {
	node, session string
	owner         model.Origin
	awaits        string // empty for a transaction
	from, to      model.Stamp
	// end is what ended it; empty if it lasted to the end of the run.
	end model.ObservationKind
	// place is that of a wait in the queue, from 0: the first that was free when it began,
	// maxQueue if none was.
	place int
}

// holds reports whether an event falls into the stretch.
func (x *stretch) holds(seq int64) bool { return x.from.Seq <= seq && seq < x.to.Seq }

// stretches are all transactions, or all waits, in the order in which they began.
func stretches(t *traces.Trace, begins model.ObservationKind, ends ...model.ObservationKind) []stretch {
	type place struct{ node, name string }
	var all []stretch
	open := map[place]int{}
	queues := map[place][maxQueue + 1]bool{}
	for i := range t.History.Observations {
		o := &t.History.Observations[i]
		where := place{o.Node, o.Session}
		at, found := open[where]
		switch {
		case found && slices.Contains(ends, o.Kind):
			x := &all[at]
			x.to, x.end = o.Stamp, o.Kind
			delete(open, where)
			taken := queues[place{x.node, x.awaits}]
			taken[x.place] = false
			queues[place{x.node, x.awaits}] = taken
		case !found && o.Kind == begins:
			x := stretch{
				node: o.Node, session: o.Session, owner: o.Owner, awaits: o.Awaits, from: o.Stamp,
				to: model.Stamp{Seq: t.LastSeq() + 1, At: t.EndAt()},
			}
			taken := queues[place{x.node, x.awaits}]
			x.place = min(slices.Index(append(taken[:], false), false), maxQueue)
			taken[x.place] = true
			queues[place{x.node, x.awaits}] = taken
			open[where] = len(all)
			all = append(all, x)
		}
	}
	return all
}

// transactions are those of all sessions, and waits the waits.
func transactions(t *traces.Trace) []stretch {
	return stretches(t, model.TransactionBegan, model.TransactionCommitted, model.TransactionRolledBack)
}

func waits(t *traces.Trace) []stretch {
	return stretches(t, model.WaitBegan, model.WaitGranted, model.WaitEnded, model.WaitRefused)
}

// maxCircle is more sessions than a circle is told of.
const maxCircle = 8

// circle are the waits of sessions that wait for each other, the refused one first: each for
// a record of the session whose wait is the next one, the last for one of the first's. It is
// empty if the records' sessions do not tell.
func (s *story) circle(refused *stretch) []*stretch {
	at := refused.to.Seq - 1
	list := []*stretch{refused}
	for len(list) < maxCircle {
		last := list[len(list)-1]
		h := presentAt(s.presences, last.node, last.awaits, at)
		if h == nil {
			return nil
		}
		if h.session == refused.session {
			return list
		}
		next := slices.IndexFunc(s.waits, func(w stretch) bool { return w.node == last.node && w.session == h.session && w.holds(at) })
		if next < 0 {
			return nil
		}
		list = append(list, &s.waits[next])
	}
	return nil
}
