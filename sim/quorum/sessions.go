package quorum

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// Sessions has the committed sessions, or leases, with their owners and the records that live
// with them.
type Sessions struct {
	authority string
	notes     server.Sessions
	name      func(id int64) string
	ends      func(id int64) time.Duration
	owners    map[int64]model.Origin
	records   []bound // in the order of their last changes
}

// bound is a committed record that lives with a session.
type bound struct {
	session int64
	seen    model.Observation // its last change
}

// NewSessions returns Sessions without a session. Noun is the store's noun for a session. Name returns a session's name
// in observations, and ends its end as the leader knows it, 0 if unknown.
func NewSessions(authority, noun string, name func(id int64) string, ends func(id int64) time.Duration) *Sessions {
	notes := server.Sessions{Noun: noun, Ends: "expires", Ended: "expired"}
	return &Sessions{authority: authority, notes: notes, name: name, ends: ends, owners: map[int64]model.Origin{}}
}

// Opened reports that a client has opened a session.
func (s *Sessions) Opened(id int64, by model.Origin, observe func(model.Observation)) {
	s.owners[id] = model.Origin{Client: by.Client, Conn: by.Conn}
	ends := s.ends(id)
	observe(model.Observation{Kind: model.Noted, Authority: s.authority, Owner: s.owners[id], ExpiresAt: ends, Note: s.notes.Opened(s.name(id), ends)})
}

// Ended reports that a session was closed by a request, or has expired. If the session has ended before, it reports
// nothing.
func (s *Sessions) Ended(id int64, expired bool, observe func(model.Observation)) {
	if _, open := s.owners[id]; !open {
		return
	}
	o := model.Observation{Kind: model.Noted, Authority: s.authority, Owner: s.owners[id], Note: s.notes.Closed(s.name(id))}
	if expired {
		o.Note = s.notes.Expired(s.name(id))
	}
	observe(o)
	delete(s.owners, id)
}

// Moved reports that the client of a session has moved it to another server, on the owner's connection.
func (s *Sessions) Moved(id int64, owner model.Origin, observe func(model.Observation)) {
	observe(model.Observation{Kind: model.Noted, Authority: s.authority, Owner: owner, ExpiresAt: s.ends(id), Note: s.notes.Moved(s.name(id))})
}

// Refused reports that the client of a session learns from a server, on the owner's connection, that it has ended.
func (s *Sessions) Refused(id int64, owner model.Origin, observe func(model.Observation)) {
	observe(model.Observation{Kind: model.Noted, Owner: owner, Note: s.notes.Refused(s.name(id))})
}

// Keep notes at a change of a record the session that it lives with, 0 if none. It completes the
// observation of the change with the end of the session.
func (s *Sessions) Keep(o *model.Observation, id int64) {
	s.records = slices.DeleteFunc(s.records, func(r bound) bool { return r.seen.Key == o.Key })
	if id != 0 && (o.Kind == model.RecordCreated || o.Kind == model.RecordChanged) {
		o.ExpiresAt = s.ends(id)
		s.records = append(s.records, bound{id, *o})
	}
}

// Prolonged reports a new end of a session, and of the records that live with it.
func (s *Sessions) Prolonged(id int64, ends time.Duration, observe func(model.Observation)) {
	if owner, open := s.owners[id]; open {
		observe(model.Observation{Kind: model.Noted, Authority: s.authority, Owner: owner, ExpiresAt: ends, Note: s.notes.Renewed(s.name(id))})
	}
	for i := range s.records {
		r := &s.records[i]
		if r.session != id {
			continue
		}
		o := r.seen
		o.Kind, o.ExpiresAt, o.OldOwner = model.RecordChanged, ends, o.Owner
		o.By = model.Origin{Client: o.Owner.Client}
		r.seen.ExpiresAt = ends
		observe(o)
	}
}
