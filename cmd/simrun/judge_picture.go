package main

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/history"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// mostDrawn is how many operations a picture may have: porcupine keeps the
// longest order that it found for each, so that pages grow with the square.
const mostDrawn = 300

// drawTime is how long porcupine may search for what it draws.
const drawTime = 10 * time.Second

// picture writes the picture that -o asks for, and says what became of it.
func (c *judgeCmd) picture(a *app, j *judgement) (string, error) {
	if c.Out == "" {
		return "", nil
	}
	calls, what := j.drawn()
	if len(calls) > mostDrawn {
		if c.Out == "-" {
			return "", usageError{fmt.Errorf("no picture: %s has %s, and a picture at most %d", what, wording.GroupedCount(len(calls), "operation"), mostDrawn)}
		}
		return fmt.Sprintf("no picture was written: %s has %s, and a picture at most %d", what, wording.GroupedCount(len(calls), "operation"), mostDrawn), nil
	}
	var page bytes.Buffer
	if err := j.draw(&page, calls); err != nil {
		return "", err
	}
	if c.Out == "-" {
		_, err := a.out.Write(page.Bytes())
		return "", err
	}
	err := traces.Replace(c.Out, func(w io.Writer) error {
		_, err := w.Write(page.Bytes())
		return err
	})
	if err != nil {
		return "", usageError{fmt.Errorf("the picture cannot be written: %w", err)}
	}
	return fmt.Sprintf("wrote %s, a picture of %s: open it in a browser", c.Out, what), nil
}

// drawn is what the picture shows: of a violation the shortest illegal part,
// else everything.
func (j *judgement) drawn() ([]model.Call, string) {
	for _, status := range []model.Status{model.Violated, model.Undecided} {
		for i := range j.objects {
			v := &j.objects[i]
			switch {
			case v.Status != status:
			case status == model.Violated:
				return v.shortest, "the shortest illegal part of " + wording.Printable(clipped(v.object))
			default:
				return v.calls, "what was done to " + wording.Printable(clipped(v.object))
			}
		}
	}
	return j.history.Calls, "the whole history"
}

// draw writes porcupine's page. Porcupine puts the descriptions of operations
// and annotations into the page as text, and those of states and metadata as
// HTML: these are escaped here, for they hold names from files of strangers.
func (j *judgement) draw(w io.Writer, calls []model.Call) error {
	ops := model.Operations(j.spec, calls)
	for i := range ops {
		ops[i].Metadata = j.origin(j.call(ops[i].Metadata.(int))) // the ID: see model.Operations
	}
	m := j.spec.Model()
	state, operation := m.DescribeState, m.DescribeOperation
	m.DescribeState = func(s any) string { return html.EscapeString(wording.Printable(clipped(state(s)))) }
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
		return html.EscapeString(text)
	}
	_, info := porcupine.CheckOperationsVerbose(m, ops, drawTime)
	var notes []porcupine.Annotation
	for _, a := range j.annotations(calls) {
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

// annotations are those of what happened while the calls went on, within
// these.
func (j *judgement) annotations(calls []model.Call) (list []history.Annotation) {
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
	for _, a := range j.history.Annotations {
		if a.From <= last && a.To >= first {
			list = append(list, history.Annotation{Text: a.Text, On: a.On, From: max(a.From, first), To: min(a.To, last)})
		}
	}
	return list
}
