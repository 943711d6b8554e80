package story

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// noteSteps finds the steps of notes.
type noteSteps struct{ plot *Plot }

// noteSteps returns the steps of notes: first of lives in lanes, whose owners may not know of their ends, then of others.
func (s noteSteps) noteSteps() []candidate {
	steps := s.lifeSteps()
	for i := range s.plot.Trace.History.Observations {
		o := &s.plot.Trace.History.Observations[i]
		if o.Note == nil || o.Note.Text == "" || o.Note.Place == model.PlaceLane || o.Seq < s.plot.from || o.Seq > s.plot.to {
			continue
		}
		if weight := s.noteWeight(o); weight > 0 {
			steps = append(steps, s.noteStep(o, o.Stamp, weight))
		}
	}
	return steps
}

// noteWeight returns the weight of the step of a note: 0 if it has none, because its owner has no part in the story then.
func (s noteSteps) noteWeight(o *model.Observation) int {
	n, client := o.Note, o.Owner.Client
	switch {
	case s.plot.cited(o.Seq):
		return decisive
	case o.Node == client: // a process reports it of itself
		if !slices.Contains(s.plot.Clients, client) {
			return 0
		}
		return helpful
	case n.Role == model.RoleAlone:
		if before := roleAt(s.plot.Reigns(o.Node), o.Seq-1); before != roleServing && before != roleStale {
			return 0
		}
		return helpful
	case n.Bad && (client == "" || slices.Contains(s.plot.Clients, client)):
		return major
	case client == "":
		return helpful
	case !s.plot.busy(client, o.Seq, o.Seq):
		return 0
	case s.leads(o):
		return helpful
	}
	if answer := s.plot.Lives.Answers[o.Seq]; answer != nil && s.leads(answer) {
		return helpful - 1
	}
	return minor
}

// leads reports whether a note that answers earlier ones leads to an acquisition of the story: its owner has the lock soon
// after the note reaches it.
func (s noteSteps) leads(o *model.Observation) bool {
	if len(o.Note.Refs) == 0 {
		return false
	}
	reached := s.plot.reaches(o)
	return reached.Happened() && slices.ContainsFunc(s.plot.Acquisitions, func(id int) bool {
		a := s.plot.Trace.History.Operation(id)
		return a.Client == o.Owner.Client && a.Result == model.OK && a.Call.Seq < o.Seq && o.Seq < a.Return.Seq && a.Return.At-reached.At < slow
	})
}

// noteStep returns the step of a note, whose text begins with its actor.
func (s noteSteps) noteStep(o *model.Observation, at model.Stamp, weight int, more ...string) candidate {
	actor, text := s.plot.Sentence(o, more...)
	return step(at, actor, text, weight)
}

// lifeSteps returns the steps of how lives of the story's clients go on at other nodes, how they end, and when their
// owners learn of that.
func (s noteSteps) lifeSteps() []candidate {
	var steps []candidate
	withRecord := s.endWithRecord()
	for i := range s.plot.Lives.All {
		x := &s.plot.Lives.All[i]
		if x.Place != model.PlaceLane || x.Client != "" && !slices.Contains(s.plot.Clients, x.Client) {
			continue
		}
		for _, stay := range x.Stays[1:] {
			if stay.Note.Note.Text != "" {
				steps = append(steps, s.noteStep(stay.Note, stay.From, minor))
			}
		}
		if !x.End().Bad || x.End().Text == "" {
			continue
		}
		if !withRecord[x.Subject] {
			steps = append(steps, step(x.To, x.Ended.Node, s.plot.endText(x, ""), major-1))
		}
		if x.Learned.Happened() && x.Learned.Seq > x.To.Seq && x.Notice.Note.Text != "" {
			steps = append(steps, s.learnStep(x))
		}
	}
	return slices.DeleteFunc(steps, func(c candidate) bool { return c.Seq < s.plot.from || c.Seq > s.plot.to })
}

// endWithRecord returns the names of the sessions with which a record of the lock ends: keySteps has those steps.
func (s noteSteps) endWithRecord() map[string]bool {
	found := map[string]bool{}
	for i := range s.plot.Trace.History.Observations {
		o := &s.plot.Trace.History.Observations[i]
		if o.Kind == model.RecordExpired && o.Authority != "" && s.plot.Concerns(o.Owner.Op) && s.plot.IsLockKey(o.Key) {
			found[o.Session] = true
		}
	}
	return found
}

// learnStep returns the step in which an owner learns of the end of a life, and of opening another if it does so at once.
func (s noteSteps) learnStep(x *Life) candidate {
	const soon = 100 * time.Millisecond
	c := s.noteStep(x.Notice, x.Learned, major-1, "{later}", traces.Briefly(x.Learned.At-x.To.At))
	if y := s.plot.nextLife(x, x.Learned.Seq); y != nil && y.From.At-x.Learned.At < soon {
		c.Text += ", and opens another"
	}
	if s.plot.claimingAt(x.Client, x.Learned.Seq) != nil {
		c.Text += ", while it believes that it holds the lock"
	}
	return c
}
