package judging

import (
	"fmt"
	"io"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/history"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// MostDrawn is the maximum number of operations in a picture: porcupine keeps the longest order that it found for each, so
// pages grow with the square.
const MostDrawn = 300

// drawTime limits porcupine's search for a picture.
const drawTime = 10 * time.Second

// MostShown is the maximum number of characters shown of a name from a file.
const MostShown = 160

// Describe describes the call and its answer, in at most about [MostShown] characters. It may contain unprintable
// characters.
func (j *Judgement) Describe(c *model.Call) string { return clipped(j.Full(c)) }

// Full is [Describe] without a limit. The end of a lease is the recorded stamp.
func (j *Judgement) Full(c *model.Call) string {
	recorded := *c
	if recorded.Until != 0 {
		recorded.Until = j.Origin(c).Until
	}
	return objects.Action{Call: &recorded}.Describe(c.Outcome)
}

func clipped(s string) string { return wording.Clip(s, MostShown) }

// Drawn returns the calls of a picture, with a caption: for a violation the shortest illegal part, else everything.
func (j *Judgement) Drawn() ([]model.Call, string) {
	for _, status := range []model.Status{model.Violated, model.Undecided} {
		for i := range j.Objects {
			v := &j.Objects[i]
			switch {
			case v.Status != status:
			case status == model.Violated:
				return v.Shortest, "the shortest illegal part of " + wording.Printable(clipped(v.Name))
			default:
				return v.Calls, "what was done to " + wording.Printable(clipped(v.Name))
			}
		}
	}
	return j.History.Calls, "the whole history"
}

// Draw writes porcupine's page. Porcupine puts the descriptions of operations and
// annotations into the page as text, and those of states and metadata as HTML:
// these are escaped here, since they hold names from untrusted files.
func (j *Judgement) Draw(w io.Writer, calls []model.Call) error {
	ops := objects.Operations(j.Spec, calls)
	for i := range ops {
		ops[i].Metadata = j.Origin(j.Call(ops[i].Metadata.(int))) // the ID: see objects.Operations
	}
	m := objects.Model(j.Spec)
	state, operation := m.DescribeState, m.DescribeOperation
	m.DescribeState = func(s any) string { return wording.HTML(wording.Printable(clipped(state(s)))) }
	m.DescribeOperation = func(in, out any) string { return wording.Printable(clipped(operation(in, out))) }
	m.DescribeOperationMetadata = func(data any) string {
		o, ok := data.(history.Origin)
		if !ok {
			return ""
		}
		text := fmt.Sprintf("%s: called at %d", o, o.Call)
		if o.Return != 0 {
			text += fmt.Sprintf(", returned at %d", o.Return)
		}
		return wording.HTML(wording.Printable(text))
	}
	_, info := porcupine.CheckOperationsVerbose(m, ops, drawTime)
	var notes []porcupine.Annotation
	for _, a := range j.Annotations(calls) {
		tag, text := wording.Printable(clipped(a.On)), wording.Printable(clipped(a.Text))
		if tag == "" {
			tag = "world"
		}
		notes = append(notes, porcupine.Annotation{
			Tag: tag, Start: a.From, End: a.To, Description: text, Details: tag + ": " + text, BackgroundColor: "#ffe8a3",
		})
	}
	info.AddAnnotations(notes)
	return porcupine.Visualize(m, info, w)
}

// Annotations returns the history's annotations during the calls, clipped to them.
func (j *Judgement) Annotations(calls []model.Call) (list []history.Annotation) {
	if len(calls) == 0 {
		return nil
	}
	first, last := calls[0].Call, calls[0].Call
	for i := range calls {
		c := &calls[i]
		first, last = min(first, c.Call), max(last, c.Call)
		if !c.Pending() {
			last = max(last, c.Return)
		}
	}
	for _, a := range j.History.Annotations {
		if a.From <= last && a.To >= first {
			list = append(list, a)
			list[len(list)-1].From, list[len(list)-1].To = max(a.From, first), min(a.To, last)
		}
	}
	return list
}
