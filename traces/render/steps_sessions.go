package render

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// ofSession names the session of a client: "c2's session", or "its session" if the
// sentence is about that client.
func (s *story) ofSession(owner model.Origin, speaker string) string {
	if owner.Client != "" && owner.Client == speaker {
		return "its " + s.terms.Session
	}
	return owned(s.terms.Session, owner, "")
}

// sessionSteps tells how sessions of the story's clients go on at other nodes, how they
// end, and when their clients learn of that.
func (s *story) sessionSteps() []candidate {
	var steps []candidate
	withRecord := s.endWithRecord()
	for i := range s.sessions {
		x := &s.sessions[i]
		if !slices.Contains(s.clients, x.client) {
			continue
		}
		for _, stay := range x.stays[1:] {
			text := fmt.Sprintf("goes on with its %s at %s", s.terms.Session, wording.Printable(stay.node))
			steps = append(steps, step(stay.from, x.client, text, completing))
		}
		if x.end != model.SessionExpired {
			continue
		}
		if !withRecord[x.name] {
			steps = append(steps, step(x.to, x.ended.Node, s.endText(x, ""), telling-1))
		}
		if x.learnt.Happened() && x.learnt.Seq > x.to.Seq {
			steps = append(steps, step(x.learnt, x.client, s.learnText(x), telling-1))
		}
	}
	return slices.DeleteFunc(steps, func(c candidate) bool { return c.Seq < s.from || c.Seq > s.to })
}

// endWithRecord are the names of the sessions with which a record of the lock ends, of
// which keySteps tells.
func (s *story) endWithRecord() map[string]bool {
	found := map[string]bool{}
	for i := range s.t.History.Observations {
		o := &s.t.History.Observations[i]
		if o.Kind == model.RecordExpired && o.Authority != "" && s.concerns(o.Owner.Op) && s.isLockKey(o.Key) {
			found[o.Session] = true
		}
	}
	return found
}

// endText says that a session expires, with what ends with it, and what its client knows.
func (s *story) endText(x *session, with string) string {
	client := wording.Printable(x.client)
	text := fmt.Sprintf("%s's %s %s%s", client, s.terms.Session, x.ends(), with)
	switch {
	case x.unaware.Seq <= x.to.Seq:
		return text
	case s.pausedAt(x.client, x.to.Seq):
		return text + ", but " + client + " is paused and does not know"
	}
	return text + ", but " + client + " does not know"
}

// learnText says what a client learns of its session, and that it opens another if it
// does at once.
func (s *story) learnText(x *session) string {
	const soon = 100 * time.Millisecond
	text := fmt.Sprintf("learns from %s, %s later, that its %s has %s", wording.Printable(x.teller), traces.Briefly(x.learnt.At-x.to.At), s.terms.Session, x.over())
	if y := s.nextSession(x, x.learnt.Seq); y != nil && y.from.At-x.learnt.At < soon {
		text += ", and opens another"
	}
	if s.claimingAt(x.client, x.learnt.Seq) != nil {
		text += ", while it believes that it holds the lock"
	}
	return text
}
