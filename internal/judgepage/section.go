package judgepage

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/history"
	"github.com/lockpick-dev/lockpick/internal/judging"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces/render/picture"
)

// section shows one object.
type section struct {
	ID, Name, Badge, Class string
	Sentence               string
	// Steps are the operations that decide a violation, and MoreSteps describes how many are left out.
	Steps     []step
	MoreSteps string
	// Window describes the shown part of the object's history, and Axis the axis.
	Window, Axis string
	Chart        template.HTML
	Annotations  []string
	Rows         []row

	window judging.Window
	holds  []judging.Hold
	lanes  []string // the threads, in the order of their lanes
}

type step struct {
	Number                           int
	When, Client, Color, Text, Where string
}

// row is an operation in the table, with the number left out before it; the last row may have only that.
type row struct {
	Skipped, Class               string
	Number                       int
	Where, Client, Color         string
	Called, Returned, Text, Span string
}

// badges are the words for the status of an object.
var badges = map[model.Status]string{model.Holds: "legal", model.Violated: "violated", model.Undecided: "unknown"}

// mostDeciding is the maximum number of operations that are listed as deciding a violation.
const mostDeciding = 12

// mostAnnotations is the maximum number of annotations that are drawn and listed.
const mostAnnotations = 12

// newSection returns the n-th section.
func newSection(j *judging.Judgement, v *judging.Object, n int) section {
	s := section{
		ID: fmt.Sprintf("object%d", n), Name: called(v.Name), Badge: badges[v.Status], Class: classes[v.Status],
		window: j.Window(v),
	}
	switch {
	case v.Violation != nil:
		s.Sentence = wording.Printable(v.Violation.Sentence)
	case v.Status == model.Undecided:
		s.Sentence = wording.Printable(v.Doubt)
	default:
		s.Sentence = "There is an order of these operations that a " + j.Spec.Kind.Noun() + " allows."
	}
	for i := range s.window.Calls {
		if who := s.window.Calls[i].Who(); !slices.Contains(s.lanes, who) {
			s.lanes = append(s.lanes, who)
		}
	}
	s.Window = windowText(v, s.window)
	s.decisive(j, v)
	s.table(j)
	s.draw(j, v)
	return s
}

// windowText describes how much of the history of an object is shown.
func windowText(v *judging.Object, w judging.Window) string {
	part := 0
	for _, c := range w.Calls {
		if c.Part {
			part++
		}
	}
	all := wording.GroupedCount(len(v.Calls), "operation")
	around := len(w.Calls) - part
	switch {
	case v.Violation != nil && w.PartLeft > 0:
		return fmt.Sprintf("Of %s, %s are illegal by themselves. Shown are %d of these, which are marked, those that decide it and the last others, with %d around them.",
			all, wording.Grouped(part+w.PartLeft), part, around)
	case v.Violation != nil && around == 0:
		return fmt.Sprintf("These %s are illegal by themselves, and all that there are.", wording.GroupedCount(part, "operation"))
	case v.Violation != nil:
		return fmt.Sprintf("Of %s, the %d that are marked are illegal by themselves. Shown with them: %d around them.", all, part, around)
	case w.After > 0:
		return fmt.Sprintf("Of %s the first %d are shown.", all, len(w.Calls))
	}
	return fmt.Sprintf("All of its %s are shown.", all)
}

// decisive fills in the operations that decide a violation.
func (s *section) decisive(j *judging.Judgement, v *judging.Object) {
	if v.Violation == nil {
		return
	}
	for i, id := range v.Violation.Calls {
		if i == mostDeciding {
			s.MoreSteps = "and " + wording.Grouped(len(v.Violation.Calls)-i) + " more"
			break
		}
		c := j.Call(id)
		o := j.Origin(c)
		when := strconv.FormatInt(o.Call, 10)
		if !c.Pending() {
			when += " – " + strconv.FormatInt(o.Return, 10)
		}
		s.Steps = append(s.Steps, step{c.ID, when, name(c.Who()), s.colorOf(c), textOf(j, c), wording.Printable(o.String())})
	}
}

// table fills in the rows.
func (s *section) table(j *judging.Judgement) {
	for _, c := range s.window.Calls {
		o := j.Origin(c.Call)
		r := row{
			Skipped: skipped(c.Skipped), Number: c.ID, Where: wording.Printable(o.String()), Client: name(c.Who()), Color: s.colorOf(c.Call),
			Called: strconv.FormatInt(o.Call, 10), Returned: "–", Text: textOf(j, c.Call),
		}
		if !c.Pending() {
			r.Returned = strconv.FormatInt(o.Return, 10)
		}
		switch {
		case c.Part && c.Decides:
			r.Class = "told bad"
		case c.Part:
			r.Class = "told"
		}
		if c.Open {
			r.Text += " (" + openText + ")"
		}
		s.Rows = append(s.Rows, r)
	}
	if s.window.After > 0 {
		s.Rows = append(s.Rows, row{Skipped: skipped(s.window.After)})
	}
}

// openText describes a call whose answer does not belong to the smallest part.
const openText = "illegal whatever it answers"

func skipped(n int) string {
	if n == 0 {
		return ""
	}
	return "… " + wording.GroupedCount(n, "operation") + " …"
}

// colorOf returns the colour of a call's lane.
func (s *section) colorOf(c *model.Call) string {
	if i := slices.Index(s.lanes, c.Who()); i >= 0 {
		return picture.ColorOf(i)
	}
	return "kx"
}

// name returns the name of a client, as text.
func name(who string) string { return wording.Printable(wording.Clip(who, judging.MostShown)) }

// textOf describes a call and its answer, without the caller.
func textOf(j *judging.Judgement, c *model.Call) string {
	text := j.Full(c)
	text = strings.TrimPrefix(text, c.Who()+" ")
	if c.Op.Acquires() {
		text = strings.Replace(text, fmt.Sprintf(" #%d", c.ID), "", 1)
	}
	return wording.Printable(wording.Clip(text, judging.MostShown))
}

// annotations returns the annotations of the shown time.
func (s *section) annotations(j *judging.Judgement) (list []note) {
	var calls []model.Call
	for _, c := range s.window.Calls {
		calls = append(calls, *c.Call)
	}
	all := j.Annotations(calls)
	for i, a := range all {
		if i == mostAnnotations {
			s.Annotations = append(s.Annotations, fmt.Sprintf("and %s more", wording.Grouped(len(all)-i)))
			break
		}
		on, text := cmp.Or(wording.Clip(a.On, judging.MostShown), "world"), wording.Clip(a.Text, judging.MostShown)
		n := note{a, on, text}
		s.Annotations = append(s.Annotations, wording.Printable(n.said()))
		list = append(list, n)
	}
	return list
}

// note is an annotation, with its subject and its text, clipped.
type note struct {
	history.Annotation
	on, text string
}

// said returns the annotation in words, with its stamps in the file.
func (n note) said() string {
	switch {
	case n.Began == 0:
		return n.on + ": " + n.text
	case n.Began == n.Ended:
		return fmt.Sprintf("%s: %s, at %d", n.on, n.text, n.Began)
	}
	return fmt.Sprintf("%s: %s, from %d to %d", n.on, n.text, n.Began, n.Ended)
}
