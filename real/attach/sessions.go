package attach

import (
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/internal/recording"
)

// This file finds whose request has changed a record of a session's, for stores whose connections have sessions, such as
// those with SQL: a request may wait at the server for a lock, and another client's request, or the end of a session, then
// ends its wait.

// hasSessions reports whether the store's connections have sessions.
func (r *run) hasSessions() bool {
	return slices.ContainsFunc(r.links, func(k *link) bool { _, has := k.Session(); return has })
}

// linkOf returns the last link whose session has a name, nil if there is none.
func (r *run) linkOf(node, session string) *link {
	for _, k := range slices.Backward(r.links) {
		if name, _ := k.Session(); k.Node == node && name != "" && name == session {
			return k
		}
	}
	return nil
}

// byTaker returns the origin of a record that a session has got: the session's last request.
func (r *run) byTaker(node string, record confirm.Record, by model.Origin) model.Origin {
	if record.Session == "" {
		return by
	}
	k := r.linkOf(node, record.Session)
	if k == nil || k.last == nil {
		return by
	}
	k.last.changed = true
	return k.last.by
}

// byGiver returns the origin of the end of a session's record: the request of its client, or of the client that has hung up
// by itself; none if the connection was lost.
func (r *run) byGiver(node string, record recording.Known, by model.Origin) model.Origin {
	if r.hasEnded(record.Session) && (r.executing == nil || !removes(r.executing.Signature)) {
		return model.Origin{}
	}
	if record.Session == "" || !r.hasSessions() {
		return by
	}
	k := r.linkOf(node, record.Session)
	switch {
	case k == nil || k.over || k.ended && !k.gone:
		return model.Origin{}
	case k.gone:
		return k.left
	case k.actor.name == by.Client:
		return by
	}
	return model.Origin{}
}

// lives notes until when a session lives at least, by an answer that has renewed it.
func (r *run) lives(a *answer) {
	if a.to != nil && a.Session != "" && a.Lives > 0 {
		r.sessions[a.Session] = a.to.sent.Add(a.Lives)
	}
}

// hasEnded reports whether a session may have ended by itself.
func (r *run) hasEnded(session string) bool {
	ends, known := r.sessions[session]
	return known && !time.Now().Before(ends)
}

// removes reports whether a request may remove records of its own or another session, by the names of the stores' requests.
func removes(signature string) bool {
	s := strings.ToLower(signature)
	return slices.ContainsFunc([]string{"delete", "revoke", "multi", "close"}, func(word string) bool { return strings.Contains(s, word) })
}

// hangUp closes the connections to servers with sessions whose clients have hung up, or have lost their connection, once no
// request of theirs is held: a server ends a session, and with it what the session has, when its connection ends.
func (r *run) hangUp() {
	for _, k := range r.links {
		if _, has := k.Session(); !has || k.hungUp || !k.gone && !k.over || slices.ContainsFunc(r.waiting, func(q *request) bool { return q.link == k }) {
			continue
		}
		k.hungUp = true
		_ = k.Server.Close()
	}
}
