package simrun

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/lockpick-dev/lockpick/internal/judging"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Limits of the text of one verdict.
const (
	mostObjects     = 5  // that are violated, or undecided, each in full
	mostRows        = 40 // of operations
	mostAnnotations = 10
)

// printJudgement prints the judgement as text.
func printJudgement(w io.Writer, j *judging.Judgement, name, picture string) {
	p := painter(w)
	var b strings.Builder
	fmt.Fprintf(&b, "%s  model %s\n\n", p.Bold(wording.Printable(name)), p.Bold(describeSpec(j.Spec)))
	for _, status := range []model.Status{model.Violated, model.Undecided} {
		shown := 0
		for i := range j.Objects {
			v := &j.Objects[i]
			if v.Status != status {
				continue
			}
			if shown++; shown > mostObjects {
				continue
			}
			printObject(j, &b, p, v)
		}
		if shown > mostObjects {
			fmt.Fprintf(&b, "and %s more (%s)\n\n", wording.GroupedCount(shown-mostObjects, "object"), status)
		}
	}
	printResult(j, &b, p, picture)
	_, _ = io.WriteString(w, b.String()) // w remembers its errors
}

// printResult prints the last lines.
func printResult(j *judging.Judgement, b *strings.Builder, p wording.Paint, picture string) {
	result := resultOf(j)
	colour := map[int]func(string) string{exitNone: p.Green, exitViolation: p.Red}[recorded.CodeOf(result)]
	if colour == nil {
		colour = p.Yellow
	}
	fmt.Fprintf(b, "%s %s: %s\n", p.Bold("result"), colour(result), meaning(j))
	fmt.Fprintf(b, "  %s", wording.GroupedCount(len(j.History.Calls), "operation"))
	if j.Unknown > 0 {
		fmt.Fprintf(b, " (%s of unknown outcome)", wording.Grouped(j.Unknown))
	}
	fmt.Fprintf(b, " of %s on %s\n", wording.GroupedCount(j.Clients, "client"), wording.GroupedCount(len(j.Objects), "object"))
	if n := j.History.Dropped; n > 0 {
		fmt.Fprintf(b, "  %s failed and had no effect\n", wording.GroupedCount(n, "more operation"))
	}
	if n := j.History.Shared; n > 0 {
		fmt.Fprintf(b, "  %s share their stamps; among equal stamps, returns count as before calls (but see --uncertainty)\n", wording.GroupedCount(n, "event"))
	}
	if picture != "" {
		fmt.Fprintf(b, "  %s\n", picture)
	}
}

// meaning explains the result.
func meaning(j *judging.Judgement) string {
	objects := wording.GroupedCount(len(j.Objects), "object")
	switch resultOf(j) {
	case explore.NoneFound:
		return "there is an order of the operations that a " + j.Spec.Kind.Noun() + " allows"
	case explore.Violation:
		return wording.Grouped(j.Count(model.Violated)) + " of " + objects
	case explore.Vacuous:
		return "there are no operations to judge"
	}
	return wording.Grouped(j.Count(model.Undecided)) + " of " + objects + " could not be decided"
}

// printObject prints an object that is not legal.
func printObject(j *judging.Judgement, b *strings.Builder, p wording.Paint, v *judging.Object) {
	name := p.Bold(wording.Printable(clipped(v.Name)))
	if v.Status == model.Undecided {
		fmt.Fprintf(b, "%s %s\n%s\n\n", p.Yellow("UNKNOWN"), name, wording.Indent(wrapped(wording.Printable(v.Doubt))))
		return
	}
	fmt.Fprintf(b, "%s %s is no %s\n%s\n\n", p.Red("VIOLATED"), name, j.Spec.Kind.Noun(), wording.Indent(wrapped(wording.Printable(v.Violation.Sentence))))
	if len(v.Violation.Calls) > 0 {
		var calls []*model.Call
		for _, id := range v.Violation.Calls {
			calls = append(calls, j.Call(id))
		}
		fmt.Fprintf(b, "%s\n", p.Bold("The deciding operations"))
		table(j, b, calls)
	}
	var calls []*model.Call
	for i := range v.Shortest {
		calls = append(calls, &v.Shortest[i])
	}
	if !sameIDs(calls, v.Violation.Calls) {
		fmt.Fprintf(b, "%s (%s of %s)\n", p.Bold("The shortest part that is already illegal"), wording.Grouped(len(calls)), wording.GroupedCount(len(v.Calls), "operation"))
		table(j, b, calls)
	} else {
		fmt.Fprintf(b, "  These alone, of %s, are already illegal.\n\n", wording.GroupedCount(len(v.Calls), "operation"))
	}
	printAnnotations(j, b, p, v)
}

func sameIDs(calls []*model.Call, ids []int) bool {
	return slices.EqualFunc(calls, ids, func(c *model.Call, id int) bool { return c.ID == id })
}

// table lists operations, the last ones if there are many.
func table(j *judging.Judgement, b *strings.Builder, calls []*model.Call) {
	if n := len(calls) - mostRows; n > 0 {
		fmt.Fprintf(b, "  (%s before these)\n", wording.GroupedCount(n, "more operation"))
		calls = calls[n:]
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "  #\twhere\tcalled\treturned\tevents\toperation\n")
	for _, c := range calls {
		o := j.Origin(c)
		returned := "-"
		if o.Return != 0 && !c.Pending() {
			returned = strconv.FormatInt(o.Return, 10)
		}
		fmt.Fprintf(t, "  %d\t%s\t%d\t%s\t%s\t%s\n", c.ID, wording.Printable(o.String()), o.Call, returned, events(c), wording.Printable(j.Describe(c)))
	}
	_ = t.Flush() // into memory
	b.WriteByte('\n')
}

// events returns the event numbers of a call.
func events(c *model.Call) string {
	if c.Pending() {
		return fmt.Sprintf("%d-", c.Call)
	}
	return fmt.Sprintf("%d-%d", c.Call, c.Return)
}

// clipped limits the length of names from files.
func clipped(s string) string { return wording.Clip(s, judging.MostShown) }

// describeSpec returns the kind with its parameters, as on the command line.
func describeSpec(s model.Spec) string {
	words := []string{string(s.Kind)}
	for _, p := range []struct {
		name string
		n    int64
	}{
		{"limit", int64(s.Limit)}, {"permits", s.Permits}, {"parties", int64(s.Parties)}, {"count", s.Count}, {"initial", s.Initial},
	} {
		if p.n != 0 {
			words = append(words, fmt.Sprintf("%s=%d", p.name, p.n))
		}
	}
	if len(s.Stock) > 0 {
		words = append(words, "stock="+strings.Trim(strings.ReplaceAll(fmt.Sprint(s.Stock), " ", ","), "[]"))
	}
	return strings.Join(words, " ")
}

// printAnnotations prints the annotations of the shown part.
func printAnnotations(j *judging.Judgement, b *strings.Builder, p wording.Paint, v *judging.Object) {
	list := j.Annotations(v.Shortest)
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "%s\n", p.Bold("Annotations of that time"))
	for i, a := range list {
		if i == mostAnnotations {
			fmt.Fprintf(b, "  and %s more\n", wording.Grouped(len(list)-i))
			break
		}
		when := fmt.Sprintf("%d-%d", a.Began, a.Ended)
		switch {
		case a.Began == 0:
			when = fmt.Sprintf("before event %d", a.From)
		case a.Began == a.Ended:
			when = strconv.FormatInt(a.Began, 10)
		}
		on := a.On
		if on != "" {
			on += " "
		}
		fmt.Fprintf(b, "  %s  %s%s\n", when, wording.Printable(clipped(on)), wording.Printable(clipped(a.Text)))
	}
	b.WriteByte('\n')
}
