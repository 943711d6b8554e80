package quorum

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// ReadIndex reports how much is committed, once a majority has confirmed that this server leads
// (Ongaro, "Consensus: bridging theory and practice", 2014, section 6.4). The server must have applied
// all that was committed before it led.
func (l *Leadership[S, E]) ReadIndex(answer func(index int)) {
	m := l.node
	index, heard, term := m.Applied, 1, m.Term
	if m.group.Quorum() == 1 {
		answer(index)
		return
	}
	for _, f := range l.Followers() {
		m.Send(f, "heartbeat", func() {
			if f.leader != m || f.Term != term {
				return
			}
			f.SendToLeader("heartbeat ack", func(S) {
				heard++
				if heard == m.group.Quorum() {
					answer(index)
				}
			})
		})
	}
}

// Reads are the linearizable reads that a server has not answered: each is answered from what the server
// has, once that is no less than what the leader had committed after the read was asked for, and the
// leader still led then.
type Reads[S, E comparable] struct {
	Member *Member[S, E]
	// Retry is how long the server waits for a read index until it asks once more.
	Retry time.Duration
	// Index has a leader find the read index, as [Leadership.ReadIndex] does.
	Index func(leader S, answer func(index int))

	list []*Read
}

// Read is a linearizable read.
type Read struct {
	// Over reports whether nobody waits for its answer, and Late, before the server asks for the read
	// index once more, whether it takes too long.
	Over, Late func() bool
	// Run answers it, Fail fails it if it takes too long, and Changed, if its leader was replaced; if
	// Changed is nil, the server asks the next leader.
	Run, Fail, Changed func()

	confirmed bool
	index     int
	retry     func() // cancels the next time that it asks
}

// Add begins a read.
func (q *Reads[S, E]) Add(r *Read) {
	q.list = append(q.list, r)
	q.ask(r)
}

// Clear forgets all reads.
func (q *Reads[S, E]) Clear() { q.list = nil }

// ask asks the leader for the read index, and again after some time.
func (q *Reads[S, E]) ask(r *Read) {
	m := q.Member
	switch {
	case m.leads != nil:
		q.Index(m.Server, func(index int) { q.confirm(r, index) })
	case m.leader != nil:
		from := m.leader
		m.SendToLeader("read index", func(leader S) {
			q.Index(leader, func(index int) {
				from.Send(m, "read index", func() { q.confirm(r, index) })
			})
		})
	}
	if r.confirmed || r.Over() {
		return
	}
	w := m.group.world
	r.retry = w.At(m.Actor, w.Now()+q.Retry, sim.EventWork, sim.EventOptions{}, func() {
		r.retry = nil
		m.Do(func() {
			switch {
			case r.confirmed || r.Over():
			case r.Late():
				q.end(r)
				r.Fail()
			default:
				q.ask(r)
			}
		})
	})
}

// rest cancels the next time that the server asks for the read index.
func (r *Read) rest() {
	if r.retry != nil {
		r.retry()
		r.retry = nil
	}
}

// end forgets a read.
func (q *Reads[S, E]) end(r *Read) {
	r.rest()
	q.list = slices.DeleteFunc(q.list, func(o *Read) bool { return o == r })
}

// confirm notes the read index.
func (q *Reads[S, E]) confirm(r *Read, index int) {
	if r.confirmed {
		return
	}
	r.confirmed, r.index = true, index
	r.rest()
	q.Advance()
}

// Advance answers the reads for which the server has enough.
func (q *Reads[S, E]) Advance() {
	for _, r := range slices.Clone(q.list) {
		switch {
		case r.Over():
			q.end(r)
		case r.confirmed && q.Member.Applied >= r.index:
			q.end(r)
			r.Run()
		}
	}
}

// LeaderChanged fails the reads that have asked an earlier leader, or asks the present one.
func (q *Reads[S, E]) LeaderChanged() {
	for _, r := range slices.Clone(q.list) {
		switch {
		case r.confirmed:
		case r.Changed == nil:
			r.rest()
			q.ask(r)
		default:
			q.end(r)
			r.Changed()
		}
	}
}
