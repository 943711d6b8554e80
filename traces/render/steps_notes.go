package render

import (
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// ofSession names the session of a client at a node: "c2's session", or "its session" if the
// sentence is about that client.
func (s *story) ofSession(node string, owner model.Origin, speaker string) string {
	if owner.Client != "" && owner.Client == speaker {
		return "its " + s.termsAt(node).Session
	}
	return owned(s.termsAt(node).Session, owner, "")
}

// noteSteps are those of notes: of lives in lanes, whose owners may not know of their ends, and
// then of others.
func (s *story) noteSteps() []candidate {
	steps := s.lifeSteps()
	for i := range s.t.History.Observations {
		o := &s.t.History.Observations[i]
		if o.Note == nil || o.Note.Text == "" || o.Note.Place == model.PlaceLane || o.Seq < s.from || o.Seq > s.to {
			continue
		}
		if weight := s.noteWeight(o); weight > 0 {
			steps = append(steps, s.noteStep(o, o.Stamp, weight))
		}
	}
	return steps
}

// noteWeight is the weight of the step of a note: 0 if there is none, because its owner has
// nothing to do with the story then.
func (s *story) noteWeight(o *model.Observation) int {
	n, client := o.Note, o.Owner.Client
	switch {
	case s.cited(o.Seq):
		return decisive
	case o.Node == client: // a process says it of itself
		if !slices.Contains(s.clients, client) {
			return 0
		}
		return helpful
	case n.Role == model.RoleAlone:
		if before := roleAt(s.reigns(o.Node), o.Seq-1); before != roleServing && before != roleStale {
			return 0
		}
		return helpful
	case n.Bad && (client == "" || slices.Contains(s.clients, client)):
		return major
	case client == "":
		return helpful
	case !s.busy(client, o.Seq, o.Seq):
		return 0
	case s.leads(o):
		return helpful
	}
	if answer := s.lives.answers[o.Seq]; answer != nil && s.leads(answer) {
		return helpful - 1
	}
	return minor
}

// leads reports whether a note that answers earlier ones leads to an acquisition of the story: its owner
// has the lock soon after it is told.
func (s *story) leads(o *model.Observation) bool {
	if len(o.Note.Refs) == 0 {
		return false
	}
	told := s.reaches(o)
	return told.Happened() && slices.ContainsFunc(s.acquisitions, func(id int) bool {
		a := s.t.History.Operation(id)
		return a.Client == o.Owner.Client && a.Result == model.OK && a.Call.Seq < o.Seq && o.Seq < a.Return.Seq && a.Return.At-told.At < slow
	})
}

// noteStep is the step of a note, whose text begins with its actor.
func (s *story) noteStep(o *model.Observation, at model.Stamp, weight int, more ...string) candidate {
	actor, text := s.sentence(o, more...)
	return step(at, actor, text, weight)
}

// sentence is the text of a note without its actor, and the actor.
func (s *story) sentence(o *model.Observation, more ...string) (actor, text string) {
	actor, text = o.Node, o.Note.Text
	if rest, found := strings.CutPrefix(text, "{owner} "); found && o.Owner.Client != "" {
		actor, text = o.Owner.Client, rest
	} else if rest, found := strings.CutPrefix(text, "{node}"); found {
		text = strings.TrimPrefix(strings.TrimPrefix(rest, ":"), " ")
	}
	return actor, wording.Fit(s.fill(text, o, more...), 240)
}

// lifeSteps are how lives of the story's clients go on at other nodes, how they end, and when
// their owners learn of that.
func (s *story) lifeSteps() []candidate {
	var steps []candidate
	withRecord := s.endWithRecord()
	for i := range s.lives.all {
		x := &s.lives.all[i]
		if x.place != model.PlaceLane || x.client != "" && !slices.Contains(s.clients, x.client) {
			continue
		}
		for _, stay := range x.stays[1:] {
			if stay.note.Note.Text != "" {
				steps = append(steps, s.noteStep(stay.note, stay.from, minor))
			}
		}
		if !x.end().Bad || x.end().Text == "" {
			continue
		}
		if !withRecord[x.subject] {
			steps = append(steps, step(x.to, x.ended.Node, s.endText(x, ""), major-1))
		}
		if x.learnt.Happened() && x.learnt.Seq > x.to.Seq && x.told.Note.Text != "" {
			steps = append(steps, s.learnStep(x))
		}
	}
	return slices.DeleteFunc(steps, func(c candidate) bool { return c.Seq < s.from || c.Seq > s.to })
}

// endWithRecord are the names of the sessions with which a record of the lock ends, of
// which keySteps has the steps.
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

// endText says that a life ends, with what ends with it, and what its owner knows.
func (s *story) endText(x *life, with string) string {
	client := wording.Printable(x.client)
	text := client + "'s " + s.termsAt(x.node).Session + " expires"
	if x.end().Text != "" {
		_, text = s.sentence(x.ended)
	}
	text += with
	switch {
	case x.unaware.Seq <= x.to.Seq, x.ended != nil && x.end().State == "":
		return text
	case s.pausedAt(x.client, x.to.Seq):
		return text + ", but " + client + " is paused and does not know"
	}
	return text + ", but " + client + " does not know"
}

// learnStep is what an owner learns of the end of a life, and that it begins another if it does at
// once.
func (s *story) learnStep(x *life) candidate {
	const soon = 100 * time.Millisecond
	c := s.noteStep(x.told, x.learnt, major-1, "{later}", traces.Briefly(x.learnt.At-x.to.At))
	if y := s.nextLife(x, x.learnt.Seq); y != nil && y.from.At-x.learnt.At < soon {
		c.Text += ", and opens another"
	}
	if s.claimingAt(x.client, x.learnt.Seq) != nil {
		c.Text += ", while it believes that it holds the lock"
	}
	return c
}
