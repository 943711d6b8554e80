package story

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// Fill replaces the placeholders of a note's text, as [model.Note] lists them. More are further placeholders, each
// followed by its replacement; they are replaced first.
func (s *Lives) Fill(text string, o *model.Observation, more ...string) string {
	if !strings.Contains(text, "{") {
		return wording.Printable(text)
	}
	pairs := append(slices.Clone(more),
		"{owner}", o.Owner.Client, "{node}", o.Node, "{by}", o.By.Client, "{subject}", o.Note.Subject,
		"{record}", wording.Key(o.Note.Record), "{at}", traces.Moment(o.At), "{expires}", traces.Moment(o.ExpiresAt))
	if strings.Contains(text, "{held}") {
		pairs = append(pairs, "{held}", s.held(o))
	}
	if strings.Contains(text, "{refs}") {
		pairs = append(pairs, "{refs}", s.referred(o))
	}
	for i := 1; i < len(pairs); i += 2 {
		pairs[i] = wording.Printable(pairs[i])
	}
	t := s.TermsAt(o.Node)
	pairs = append(pairs, "{store}", t.Store, "{serving}", t.Serving, "{follower}", t.Follower)
	return strings.NewReplacer(pairs...).Replace(wording.Printable(text))
}

// held returns the record of a note, and its holder.
func (s *Lives) held(o *model.Observation) string {
	text := wording.Key(o.Note.Record)
	if h := presentAt(s.Presences, o.Node, o.Note.Record, o.Seq); h != nil && h.Owner.Client != "" {
		text += ", which " + h.Owner.Client + " has"
	}
	return text
}

// referred names the owners of the subjects in a circle.
func (s *Lives) referred(o *model.Observation) string {
	var names []string
	for _, x := range s.Circle(o) {
		names = append(names, wording.Printable(x.Client))
	}
	slices.Sort(names)
	return wording.And(slices.Compact(names))
}

// Lines returns the sentences about a life.
func (s *Lives) Lines(x *Life) []string {
	list := []string{s.Fill(x.Line.Note.Line, x.Line)}
	if x.Ended == nil {
		list = append(list, s.Fill(x.Began.Note.Unended, x.Began))
	} else {
		list = append(list, s.Fill(x.Ended.Note.Line, x.Ended))
	}
	if x.Learned.Happened() {
		list = append(list, s.Fill(x.Notice.Note.Line, x.Notice, "{at}", traces.Moment(x.Learned.At)))
	}
	return list
}

// Sentence returns the text of a note without its actor, and the actor.
func (s *Lives) Sentence(o *model.Observation, more ...string) (actor, text string) {
	actor, text = o.Node, o.Note.Text
	if rest, found := strings.CutPrefix(text, "{owner} "); found && o.Owner.Client != "" {
		actor, text = o.Owner.Client, rest
	} else if rest, found := strings.CutPrefix(text, "{node}"); found {
		text = strings.TrimPrefix(strings.TrimPrefix(rest, ":"), " ")
	}
	return actor, wording.Fit(s.Fill(text, o, more...), 240)
}

// endText describes the end of a life, what ends with it, and whether its owner knows.
func (s *Lives) endText(x *Life, with string) string {
	client := wording.Printable(x.Client)
	text := client + "'s " + s.TermsAt(x.Node).Session + " expires"
	if x.End().Text != "" {
		_, text = s.Sentence(x.Ended)
	}
	text += with
	switch {
	case x.Unaware.Seq <= x.To.Seq, x.Ended != nil && x.End().State == "":
		return text
	case s.pausedAt(x.Client, x.To.Seq):
		return text + ", but " + client + " is paused and does not know"
	}
	return text + ", but " + client + " does not know"
}
