package judgepage

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"

	"github.com/lockpick-dev/lockpick/internal/judging"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces/render/picture"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string

	pageTemplate = template.Must(template.New("judge").Parse(pageHTML))
)

// mostSections is the maximum number of objects on a page.
const mostSections = 5

// About are the texts of a page besides the judgement itself.
type About struct {
	// Name is the name of the history, and Model the kind of the objects with its parameters.
	Name, Model string
	// Result is the result in a word, and Meaning its explanation.
	Result, Meaning string
	// Again is the command that judges the history again.
	Again string
}

// Write writes the page: the violated objects, or else those that could not be decided, or else the first ones of a legal
// history, each with the window of its operations. Text from the history is shown as text. The page's content security
// policy admits only its own style sheet.
func Write(w io.Writer, j *judging.Judgement, about About) error {
	style := picture.PageStyle() + pageCSS
	p := page{
		Policy: picture.Policy(style),
		Style:  template.CSS(style), Defs: picture.FigureDefs(),
		Name: wording.Printable(about.Name), Model: about.Model, Badge: about.Result, Class: classes[j.Status()],
		Again: wording.Printable(about.Again), Rule: j.Spec.Kind.Rule(), Facts: facts(j),
		Shortest: j.Status() == model.Violated,
	}
	p.Headline = headline(j, about.Meaning)
	shown, more := chosen(j)
	for i, v := range shown {
		p.Sections = append(p.Sections, newSection(j, v, i+1))
		p.Held = p.Held || len(p.Sections[i].holds) > 0
	}
	if more > 0 {
		p.More = fmt.Sprintf("and %s more of which the same is true", wording.GroupedCount(more, "object"))
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, p); err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Shows describes the content of the page, for a message.
func Shows(j *judging.Judgement) string {
	shown, more := chosen(j)
	if len(shown) != 1 {
		return fmt.Sprintf("%d of %s", len(shown), wording.GroupedCount(len(j.Objects), "object"))
	}
	v, w := shown[0], j.Window(shown[0])
	switch {
	case v.Violation != nil:
		return fmt.Sprintf("the smallest illegal part of %s, with the operations around it", called(v.Name))
	case w.After > 0:
		return fmt.Sprintf("the first %d of %s on %s", len(w.Calls), wording.GroupedCount(len(v.Calls), "operation"), called(v.Name))
	case more > 0:
		return called(v.Name)
	}
	return "all operations on " + called(v.Name)
}

// page is the data of the template.
type page struct {
	Policy string
	Style  template.CSS
	Defs   template.HTML

	Name, Model, Badge, Class string
	Headline, Rule, Again     string
	Facts                     []fact
	Sections                  []section
	More                      string
	// Shortest is set if there are illegal parts, and Held if there are holds.
	Shortest, Held bool
}

// fact is a line of the card: a name and a value.
type fact struct{ Name, Value string }

// classes are the classes of the badges.
var classes = map[model.Status]string{model.Holds: "good", model.Violated: "bad"}

// headline returns the result in a line.
func headline(j *judging.Judgement, meaning string) string {
	noun := j.Spec.Kind.Noun()
	switch n := j.Count(model.Violated); {
	case n == 1:
		for i := range j.Objects {
			if v := &j.Objects[i]; v.Status == model.Violated {
				return called(v.Name) + " is no " + noun
			}
		}
	case n > 1:
		return fmt.Sprintf("%s of %s are no %s", wording.Grouped(n), wording.GroupedCount(len(j.Objects), "object"), noun)
	}
	return wording.Capital(meaning)
}

// called returns the name of an object, as text.
func called(name string) string { return wording.Printable(wording.Clip(name, judging.MostShown)) }

// facts returns the small print of the card.
func facts(j *judging.Judgement) []fact {
	h := j.History
	list := []fact{
		{"operations", wording.Grouped(len(h.Calls))}, {"clients", wording.Grouped(j.Clients)}, {"objects", wording.Grouped(len(j.Objects))},
	}
	for _, more := range []struct {
		name string
		n    int
		says string
	}{
		{"unknown", j.Unknown, "%s of unknown outcome: each may have taken effect at any time after its call"},
		{"failed", h.Dropped, "%s more, which had no effect"},
		{"equal", h.Shared, "%s with the stamp of another; among equal stamps, returns count as before calls"},
	} {
		if more.n > 0 {
			list = append(list, fact{more.name, fmt.Sprintf(more.says, wording.Grouped(more.n))})
		}
	}
	return list
}

// chosen returns the objects on the page, and the number of others with the same status.
func chosen(j *judging.Judgement) (list []*judging.Object, more int) {
	for _, status := range []model.Status{model.Violated, model.Undecided, model.Holds} {
		for i := range j.Objects {
			if v := &j.Objects[i]; v.Status == status && len(list) < mostSections {
				list = append(list, v)
			} else if v.Status == status {
				more++
			}
		}
		if len(list) > 0 {
			return list, more
		}
	}
	return nil, 0
}
