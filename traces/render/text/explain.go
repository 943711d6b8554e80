package text

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render/internal/term"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Style is the look of a text.
type Style struct {
	// Color allows ANSI escape sequences. The text is the same without.
	Color bool
	// Brief leaves out everything but the sentence and the steps.
	Brief bool
	// Story leaves out the verdicts and the origin of the run.
	Story bool
	// Verbose adds the line of the user's code behind each step, and the printed lines.
	Verbose bool
	// Width is the maximum number of characters in a line. 0 means 100; less than 40 counts as 40.
	Width int
	// Lines is the maximum number of lines, 0 for any number. Steps are left out until the text fits: those after the
	// violation, and those that weigh least. At least 8 steps are kept, even if the text is then longer.
	Lines int
}

// fewestSteps is the number of steps that are shown however few lines there may be.
const fewestSteps = 8

// Explain writes an explanation of a trace: one sentence, the steps that matter with their times and actors, every
// verdict, and the origin of the run. The caller adds the command that replays the run.
func Explain(w io.Writer, t *traces.Trace, c Style) error {
	var out bytes.Buffer
	e := explainer{Writer: writerOf(&out, t, c), t: t, style: c, text: term.TextWidth}
	if c.Width > 0 {
		e.text = max(c.Width, term.LeastWidth)
	}
	e.width = e.text
	e.headline()
	s := story.Of(t)
	steps := s.Steps
	if c.Verbose {
		steps = s.WithCode(steps)
	}
	var rest bytes.Buffer
	e.Out = &rest
	if !c.Brief {
		e.behind(s, steps)
	}
	e.Out = &out
	e.trimmed(steps, bytes.Count(out.Bytes(), newline)+bytes.Count(rest.Bytes(), newline))
	out.Write(rest.Bytes())
	_, err := w.Write(out.Bytes())
	return err
}

func writerOf(out *bytes.Buffer, t *traces.Trace, c Style) term.Writer {
	return term.Writer{Out: out, Color: c.Color, Actors: t.Actors}
}

var newline = []byte{'\n'}

// trimmed writes the steps, trimmed to Style.Lines. others is the number of lines of the rest of the text.
func (e *explainer) trimmed(steps []story.Step, others int) {
	begin := e.Out.Len()
	for most := len(steps); ; most-- {
		e.steps(steps, fewer(steps, most))
		if e.style.Lines == 0 || most <= fewestSteps || others+bytes.Count(e.Out.Bytes()[begin:], newline) <= e.style.Lines {
			return
		}
		e.Out.Truncate(begin)
	}
}

// behind writes what follows the steps.
func (e *explainer) behind(s *story.Story, steps []story.Step) {
	if s.Omitted != "" && !e.style.Story {
		e.Paragraph("  ", s.Omitted+" simrun view shows all that happened.", e.text, term.Faint)
		e.Out.WriteByte('\n')
	}
	if text := s.UnshownLines(steps); text != "" && e.style.Verbose {
		e.Paragraph("  ", text, e.text, term.Faint)
		e.Out.WriteByte('\n')
	}
	e.attribution()
	if !e.style.Story {
		e.verdicts()
		e.origin()
	}
}

// explainer writes the parts of an explanation.
type explainer struct {
	term.Writer
	t     *traces.Trace
	style Style
	// text is the width of most lines, and width that of the sentence and the steps.
	text, width int
}

// headline writes the violation, the lock and the scenario.
func (e *explainer) headline() {
	e.title()
	e.rule()
	e.Out.WriteByte('\n')
	e.sentence()
}

// title writes what was violated, the lock and the scenario.
func (e *explainer) title() {
	what, rest := story.Title(e.t)
	color := term.Good
	if e.t.Experiment != nil {
		color = term.Bold
	} else if e.t.Trouble != nil || e.t.Verdict() != nil {
		color = term.Bad
	}
	fmt.Fprintf(e.Out, "%s%s\n", e.Paint(color, what), rest)
}

// rule writes what the violated property asks, why the violation is a limit, and the results on real servers.
func (e *explainer) rule() {
	if text := story.RealText(e.t); text != "" {
		e.Paragraph("  ", text, e.text, term.Faint)
	}
	v := e.t.Verdict()
	if v == nil || e.t.Trouble != nil {
		return
	}
	if d := e.t.Description(v.Property); d.Asks != "" && d.Rule == "" { // the title has a program's rule
		e.Paragraph("  ", "The rule: "+d.Asks, e.text, term.Faint)
	}
	if e.t.Limit {
		e.Paragraph("  ", story.LimitText(e.t), e.text, term.Faint)
	}
	for _, r := range story.Results(e.t) {
		color := map[string]string{"good": term.Good, "soft": term.Faint}[r.Class]
		e.Paragraph("  ", wording.Capital(r.Text)+".", e.text, color)
	}
}

// sentence writes how the property was violated, or why the run did not finish.
func (e *explainer) sentence() {
	text, note, stack := story.Sentences(e.t)
	if text == "" && note == "" {
		return
	}
	e.Paragraph("  ", text, e.width, term.Bold)
	if note != "" {
		e.Paragraph("  ", note, e.text, term.Faint)
	}
	if stack != "" {
		fmt.Fprintf(e.Out, "\n%s\n", wording.Indent(stack))
	}
	e.Out.WriteByte('\n')
}

// steps writes the kept steps, with the times and actors of all steps aligned, and the number left out.
func (e *explainer) steps(all []story.Step, kept []bool) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(e.Out, "%s\n", e.Paint(term.Bold, "What happened"))
	decimals, timeWidth, nameWidth := story.StepDecimals(all), 0, 0
	for _, s := range all {
		timeWidth = max(timeWidth, len(traces.Seconds(s.At, decimals)))
		nameWidth = max(nameWidth, utf8.RuneCountInString(story.StepActor(s)))
	}
	left := 0
	for i, s := range all {
		if !kept[i] {
			left++
			continue
		}
		mark, color := "  ", ""
		if s.Violating {
			mark, color = "✗ ", term.Bad
		}
		name := story.StepActor(s)
		pad := strings.Repeat(" ", nameWidth-utf8.RuneCountInString(name))
		head := fmt.Sprintf("%s%*s  ", mark, timeWidth, traces.Seconds(s.At, decimals))
		hang := strings.Repeat(" ", utf8.RuneCountInString(head)+nameWidth+2)
		lines := wording.Wrap(s.Text, e.width-len(hang))
		fmt.Fprintf(e.Out, "%s%s%s  %s\n", e.Paint(color, head), e.Paint(e.ColorOf(s.Actor), name), pad, e.Paint(color, lines[0]))
		for _, line := range lines[1:] {
			fmt.Fprintf(e.Out, "%s%s\n", hang, e.Paint(color, line))
		}
	}
	if left > 0 {
		fmt.Fprintf(e.Out, "  %s\n", e.Paint(term.Faint, fmt.Sprintf("… %s left out", wording.Count(left, "step"))))
	}
	e.Out.WriteByte('\n')
}

// fewer reports for each step whether it is kept if there is room for most: of the steps until the violation those that
// weigh most. Among equal weights those in the middle go first. The steps that decided the verdict are always kept.
func fewer(all []story.Step, most int) []bool {
	kept, until := make([]bool, len(all)), len(story.UntilViolated(all))
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	fromMiddle := func(i int) int { return max(i-until/2, until/2-i) }
	value := func(i int) int { // more than any weight
		v := all[i].Weight
		if all[i].Decides {
			v += 1 << 20
		}
		if i < until {
			v += 1 << 10
		}
		return v
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(value(b), value(a)), cmp.Compare(fromMiddle(b), fromMiddle(a)))
	})
	for n, i := range order {
		kept[i] = n < most || all[i].Decides
	}
	return kept
}

// verdicts writes the verdict on each property.
func (e *explainer) verdicts() {
	if len(e.t.Verdicts) == 0 {
		return
	}
	fmt.Fprintf(e.Out, "%s\n", e.Paint(term.Bold, "What was judged"))
	width := 0
	for _, v := range e.t.Verdicts {
		width = max(width, utf8.RuneCountInString(wording.Printable(v.Property)))
	}
	for _, v := range e.t.Verdicts {
		color := verdictColors[v.Status]
		name := wording.Printable(v.Property)
		pad := strings.Repeat(" ", width-utf8.RuneCountInString(name))
		fmt.Fprintf(e.Out, "%s %s%s  %s\n", e.Paint(color, story.VerdictMarks[v.Status]), name, pad, e.Paint(color, story.StatusText(&v)))
		if v.Sentence != "" && v.Property != e.t.Property {
			e.Paragraph(strings.Repeat(" ", width+4), wording.Printable(v.Sentence), e.text, term.Faint)
		}
	}
	e.Out.WriteByte('\n')
}

// verdictColors are the colours of verdicts; undecided ones have none.
var verdictColors = map[model.Status]string{model.Holds: term.Good, model.Violated: term.Bad, model.NotApplicable: term.Faint}

// attribution writes what the counterexample needs, and which remedies prevent it.
func (e *explainer) attribution() {
	a := e.t.Attribution
	if a == nil {
		return
	}
	fmt.Fprintf(e.Out, "%s\n", e.Paint(term.Bold, needsTitle))
	if len(a.Deviations) == 0 {
		fmt.Fprintf(e.Out, "  %s\n", story.NeedsNothing)
	}
	width := utf8.RuneCountInString("not needed")
	shown, left := story.ShownDeviations(a)
	for _, d := range shown {
		color := ""
		if !d.Needed {
			color = term.Faint
		}
		e.item(story.DeviationMark(d), color, fmt.Sprintf("%-*s", width, story.DeviationText(d)), wording.Printable(d.Text))
	}
	if left > 0 {
		fmt.Fprintf(e.Out, "%s\n", e.Paint(term.Faint, "  "+story.LeftOut(left)))
	}
	for _, text := range []string{story.UntriedText(a), story.ManyNeeds(a, e.t.Shrunk)} {
		if text != "" {
			e.Paragraph("  ", text, e.text, term.Faint)
		}
	}
	e.Out.WriteByte('\n')
	if len(a.Remedies) == 0 {
		return
	}
	fmt.Fprintf(e.Out, "%s\n", e.Paint(term.Bold, remediesTitle))
	width = 0
	for _, r := range a.Remedies {
		if n := utf8.RuneCountInString(wording.Printable(r.Text)); n <= maxColumn {
			width = max(width, n)
		}
	}
	for i := range a.Remedies {
		r := &a.Remedies[i]
		name := wording.Printable(r.Text)
		color := map[string]string{"✓": term.Good, "✗": term.Bad}[story.RemedyMark(r)]
		e.item(story.RemedyMark(r), color, name+strings.Repeat(" ", max(0, width-utf8.RuneCountInString(name))), story.RemedyResult(r))
	}
	e.Out.WriteByte('\n')
}

// The titles of the parts of an attribution.
const (
	needsTitle    = "What it needs"
	remediesTitle = "What would have helped"
)

// maxColumn is the maximum width of a column of texts.
const maxColumn = 44

// item writes a line of a list: a mark, a column, and the text broken into lines beside it, or below if the column is too
// long.
func (e *explainer) item(mark, color, column, text string) {
	indent := utf8.RuneCountInString(column) + 4
	if indent > min(maxColumn+4, e.text/2) {
		e.Paragraph("", mark+" "+strings.TrimRight(column, " "), e.text, color)
		e.Paragraph("    ", text, e.text, "")
		return
	}
	lines := wording.Wrap(text, e.text-indent)
	fmt.Fprintf(e.Out, "%s %s  %s\n", e.Paint(color, mark), column, lines[0])
	for _, line := range lines[1:] {
		fmt.Fprintf(e.Out, "%s%s\n", strings.Repeat(" ", indent), line)
	}
}

// origin writes where the run came from.
func (e *explainer) origin() {
	t := e.t
	if len(t.Parameters) > 0 {
		fmt.Fprintf(e.Out, "parameters  %s\n", strings.Join(story.Parameters(t.Parameters), " "))
	}
	if t.Real != nil {
		fmt.Fprintf(e.Out, "made        %s\n", story.RealFact(t.Real))
	}
	if t.Schedule >= 0 {
		fmt.Fprintf(e.Out, "found by    %s\n", story.FoundLine(t))
	}
	if text := story.ShrunkLine(t); text != "" {
		fmt.Fprintf(e.Out, "shrunk      %s\n", text)
	}
	fmt.Fprintf(e.Out, "recorded    %s\n", story.VersionText(t))
	if text := t.LeftOut(); text != "" {
		e.Paragraph("", text, term.TextWidth, "")
	}
}

// Brief returns the text of [Explain] in a brief style, up to the violation: what is wrong, and the steps that lead to it.
// The sentence is one line, and so is each step, however long it is.
func Brief(t *traces.Trace) (wrong, steps []string) {
	until := story.UntilViolated(story.Steps(t))
	wrong = unbroken(t, (*explainer).headline)
	steps = unbroken(t, func(e *explainer) { e.steps(until, fewer(until, len(until))) })
	return wrong, steps
}

// unbroken returns the lines that write writes if no width breaks them.
func unbroken(t *traces.Trace, write func(*explainer)) []string {
	var out bytes.Buffer
	write(&explainer{Writer: writerOf(&out, t, Style{}), t: t, text: term.TextWidth, width: math.MaxInt})
	return strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' })
}
