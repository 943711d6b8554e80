package render

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
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
	for i := range s.t.History.Observations {
		o := &s.t.History.Observations[i]
		x := s.session(o.Session)
		switch {
		case o.Kind == model.SessionOpened && x == nil:
			s.sessions = append(s.sessions, session{
				name: o.Session, client: o.Owner.Client, from: o.Stamp, to: model.Stamp{Seq: s.t.LastSeq() + 1, At: s.t.EndAt()},
				stays: []stay{{o.Node, o.Stamp}}, renewals: []renewal{{o.Stamp, o.ExpiresAt}},
			})
		case x != nil:
			s.followSession(x, o)
		}
	}
}

// session is the session of a name, or nil.
func (s *story) session(name string) *session {
	for i := range s.sessions {
		if s.sessions[i].name == name {
			return &s.sessions[i]
		}
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
	for i := s.indexOf(o.Seq); i < len(s.t.Events); i++ {
		e := &s.t.Events[i]
		if e.Kind != sim.EventDeliver || e.Actor != o.Owner.Client || e.Conn != o.Owner.Conn || e.Sent < o.At {
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

// unaware is until when the client of a session that has expired does not know that:
// until it is told, crashes, or the run ends. A client that is never told, and has
// another session, has given this one up.
func (s *story) unaware(x *session) (to model.Stamp) {
	to = x.learnt
	if !to.Happened() {
		if slices.ContainsFunc(s.sessions, func(y session) bool { return y.client == x.client && y.from.Seq > x.from.Seq }) {
			return x.to
		}
		to = model.Stamp{Seq: s.t.LastSeq() + 1, At: s.t.EndAt()}
	}
	for i := range s.t.History.Observations {
		if o := &s.t.History.Observations[i]; o.Kind == model.Crashed && o.Node == x.client && o.Seq < to.Seq {
			to = o.Stamp
		}
	}
	if to.Seq < x.to.Seq {
		return x.to
	}
	return to
}
