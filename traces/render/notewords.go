package render

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// fill replaces the placeholders of a note's text, as [model.Note] lists them. More are further
// placeholders, each followed by what replaces it; they go before the others.
func (s *story) fill(text string, o *model.Observation, more ...string) string {
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
	t := s.termsAt(o.Node)
	pairs = append(pairs, "{store}", t.Store, "{serving}", t.Serving, "{follower}", t.Follower)
	return strings.NewReplacer(pairs...).Replace(wording.Printable(text))
}

// held is the record of a note, and who has it.
func (s *story) held(o *model.Observation) string {
	text := wording.Key(o.Note.Record)
	if h := presentAt(s.presences, o.Node, o.Note.Record, o.Seq); h != nil && h.owner.Client != "" {
		text += ", which " + h.owner.Client + " has"
	}
	return text
}

// referred names the owners of the subjects in a circle.
func (s *story) referred(o *model.Observation) string {
	var names []string
	for _, x := range s.circle(o) {
		names = append(names, wording.Printable(x.client))
	}
	slices.Sort(names)
	return wording.And(slices.Compact(names))
}

// lines are the sentences about a life.
func (s *story) lines(x *life) []string {
	list := []string{s.fill(x.line.Note.Line, x.line)}
	if x.ended == nil {
		list = append(list, s.fill(x.began.Note.Unended, x.began))
	} else {
		list = append(list, s.fill(x.ended.Note.Line, x.ended))
	}
	if x.learnt.Happened() {
		list = append(list, s.fill(x.told.Note.Line, x.told, "{at}", traces.Moment(x.learnt.At)))
	}
	return list
}
