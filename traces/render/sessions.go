package render

import (
	"sort"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// session is a session of a client, as the authority knows it.
type session struct {
	name, client string
	stays        []stay
	renewals     []renewal
	from, to     model.Stamp
	// end is what ended it; empty if it lasted to the end of the run.
	end model.ObservationKind
	// ended is the observation of the end, and learnt the moment from which its client
	// knows of it, if it had not asked for it.
	ended  *model.Observation
	learnt model.Stamp
	// teller is the node that told the client.
	teller string
	// unaware is until when the client of a session that has expired does not know that:
	// until it is told, crashes, or the run ends. A client that is never told, and has
	// another session, has given this one up.
	unaware model.Stamp
}

// stay is a stretch in which the client of a session was at one node, or had been at
// it last.
type stay struct {
	node string
	from model.Stamp
}

// renewal is a moment from which on a session has another end.
type renewal struct {
	at   model.Stamp
	ends time.Duration
}

// longest is the longest that the session had left at any time.
func (x *session) longest() time.Duration {
	most := time.Duration(0)
	for _, r := range x.renewals {
		most = max(most, r.ends-r.at.At)
	}
	return most
}

// ends is the word for the end of a session that has ended by itself: at a time that was
// fixed before, or at any, as a connection does.
func (x *session) ends() string {
	if x.longest() > 0 {
		return "expires"
	}
	return "ends"
}

// over is the same of what is over.
func (x *session) over() string {
	if x.longest() > 0 {
		return "expired"
	}
	return "ended"
}

// findSessions finds all sessions, in the order in which they were opened.
func (s *story) findSessions() {
	crashed := map[string]model.Stamp{}
	s.named, s.sessionsOf, s.receipts = map[string]int{}, map[string][]int{}, receipts{}
	for i := range s.t.History.Observations {
		o := &s.t.History.Observations[i]
		x := s.session(o.Session)
		_, dead := crashed[o.Node]
		switch {
		case o.Kind == model.Crashed && !dead:
			crashed[o.Node] = o.Stamp
		case o.Kind == model.SessionOpened && x == nil:
			s.named[o.Session] = len(s.sessions)
			s.sessionsOf[o.Owner.Client] = append(s.sessionsOf[o.Owner.Client], len(s.sessions))
			s.sessions = append(s.sessions, session{
				name: o.Session, client: o.Owner.Client, from: o.Stamp, to: model.Stamp{Seq: s.t.LastSeq() + 1, At: s.t.EndAt()},
				stays: []stay{{o.Node, o.Stamp}}, renewals: []renewal{{o.Stamp, o.ExpiresAt}},
			})
		case x != nil:
			s.followSession(x, o)
		}
	}
	for i := range s.sessions {
		x := &s.sessions[i]
		x.unaware = s.unaware(x, crashed[x.client])
	}
}

// session is the session of a name, or nil.
func (s *story) session(name string) *session {
	if i, known := s.named[name]; known {
		return &s.sessions[i]
	}
	return nil
}

// followSession applies an observation to a session.
func (s *story) followSession(x *session, o *model.Observation) {
	switch o.Kind {
	case model.SessionRenewed:
		x.renewals = append(x.renewals, renewal{o.Stamp, o.ExpiresAt})
	case model.SessionMoved:
		if x.stays[len(x.stays)-1].node != o.Node {
			x.stays = append(x.stays, stay{o.Node, o.Stamp})
		}
	case model.SessionExpired, model.SessionClosed:
		x.to, x.end, x.ended = o.Stamp, o.Kind, o
	case model.SessionRefused:
		if !x.learnt.Happened() {
			x.learnt, x.teller = s.reaches(o), o.Node
		}
	}
}

// reaches is when a client notices what a node tells it at the moment of an observation,
// on the connection of the observation's owner. It is zero if the client never does.
func (s *story) reaches(o *model.Observation) model.Stamp {
	list := s.receipts.of(s.t, o.Owner)
	after := sort.Search(len(list), func(i int) bool { return list[i].Seq >= o.Seq })
	for _, e := range list[after:] {
		if e.Sent < o.At {
			continue
		}
		at := model.Stamp{Seq: e.Seq, At: e.At}
		for _, p := range s.pauses {
			if p.actor == e.Actor && p.from.Seq <= e.Seq && e.Seq < p.to.Seq {
				at = p.to
			}
		}
		return at
	}
	return model.Stamp{}
}

// receipts are the segments that arrive at clients, by the end of the connection at which
// they do. They are found when the first is asked for.
type receipts map[model.Origin][]*sim.Event

func (r receipts) of(t *traces.Trace, end model.Origin) []*sim.Event {
	if len(r) == 0 {
		r[model.Origin{}] = nil
		for i := range t.Events {
			if e := &t.Events[i]; e.Kind == sim.EventDeliver {
				at := model.Origin{Client: e.Actor, Conn: e.Conn}
				r[at] = append(r[at], e)
			}
		}
	}
	return r[model.Origin{Client: end.Client, Conn: end.Conn}]
}

// unaware works out [session.unaware]; crashed is when its client crashed, if it did.
func (s *story) unaware(x *session, crashed model.Stamp) (to model.Stamp) {
	to = x.learnt
	if !to.Happened() {
		if s.nextSession(x, x.from.Seq) != nil {
			return x.to
		}
		to = model.Stamp{Seq: s.t.LastSeq() + 1, At: s.t.EndAt()}
	}
	if crashed.Happened() && crashed.Seq < to.Seq {
		to = crashed
	}
	if to.Seq < x.to.Seq {
		return x.to
	}
	return to
}

// nextSession is the first session that the client of a session opened after an event, or
// nil.
func (s *story) nextSession(x *session, seq int64) *session {
	list := s.sessionsOf[x.client]
	i := sort.Search(len(list), func(i int) bool { return s.sessions[list[i]].from.Seq > seq })
	if i == len(list) {
		return nil
	}
	return &s.sessions[list[i]]
}
