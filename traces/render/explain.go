package render

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
)

// Style is how a text looks.
type Style struct {
	// Color allows ANSI escape sequences. The text is the same without.
	Color bool
	// Brief leaves out everything but the sentence and the steps.
	Brief bool
	// Story leaves out the verdicts and the origin of the run.
	Story bool
	// Verbose adds which line of the user's code is behind each step, and what it has printed.
	Verbose bool
	// Width is the largest number of characters in a line. 0 stands for 100; less than 40 counts
	// as 40.
	Width int
	// Lines is the largest number of lines, 0 for any number. Steps are left out until the text
	// fits: those after the violation, and those that weigh least. At least 8 steps stay, even if the
	// text is then longer.
	Lines int
}

// fewestSteps is how many steps are shown however few lines there may be.
const fewestSteps = 8

// textWidth is where Explain breaks lines, and leastWidth where it does on a narrow terminal.
const (
	textWidth  = 100
	leastWidth = 40
)

// Explain writes what a trace shows: one sentence, the steps that matter with their times
// and actors, every verdict, and the origin of the run. The caller adds the command that
// replays the run.
func Explain(w io.Writer, t *traces.Trace, c Style) error {
	var out bytes.Buffer
	e := explainer{out: &out, t: t, style: c, text: textWidth}
	if c.Width > 0 {
		e.text = max(c.Width, leastWidth)
	}
	e.width = e.text
	e.headline()
	s := newStory(t)
	steps := s.steps()
	omitted := s.omittedSteps(steps)
	if c.Verbose {
		steps = s.withCode(steps)
	}
	var rest bytes.Buffer
	e.out = &rest
	if !c.Brief {
		e.behind(s, steps, omitted)
	}
	e.out = &out
	e.trimmed(steps, bytes.Count(out.Bytes(), newline)+bytes.Count(rest.Bytes(), newline))
	out.Write(rest.Bytes())
	_, err := w.Write(out.Bytes())
	return err
}

var newline = []byte{'\n'}

// trimmed writes the steps, and trims them to Style.Lines. The rest of the text has as many lines as
// others.
func (e *explainer) trimmed(steps []Step, others int) {
	begin := e.out.Len()
	for most := len(steps); ; most-- {
		e.steps(steps, fewer(steps, most))
		if e.style.Lines == 0 || most <= fewestSteps || others+bytes.Count(e.out.Bytes()[begin:], newline) <= e.style.Lines {
			return
		}
		e.out.Truncate(begin)
	}
}

// behind writes what follows the steps; omitted says how many are not told.
func (e *explainer) behind(s *story, steps []Step, omitted string) {
	if omitted != "" && !e.style.Story {
		e.paragraph("  ", omitted+" simrun view shows all that happened.", e.text, ansiFaint)
		e.out.WriteByte('\n')
	}
	if text := s.unshownLines(steps); text != "" && e.style.Verbose {
		e.paragraph("  ", text, e.text, ansiFaint)
		e.out.WriteByte('\n')
	}
	e.attribution()
	if !e.style.Story {
		e.verdicts()
		e.origin()
	}
}

// explainer writes the parts of an explanation.
type explainer struct {
	out   *bytes.Buffer
	t     *traces.Trace
	style Style
	// text is where lines are broken, and width where those of the sentence and of steps are.
	text, width int
}

// Escape sequences of the colours used.
const (
	ansiBold  = "1"
	ansiFaint = "2"
	ansiBad   = "1;31"
	ansiGood  = "32"
)

// ansiClients are the colours of clients, in the order of their lanes.
var ansiClients = []string{"34", "33", "32", "35", "36", "94", "93", "95"}

// paint is s in a colour, if colours are allowed.
func (e *explainer) paint(color, s string) string {
	if !e.style.Color || color == "" {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

// headline says what was violated and by what.
func (e *explainer) headline() {
	e.title()
	e.rule()
	e.out.WriteByte('\n')
	e.sentence()
}

// title names what was violated, the lock and the scenario.
func (e *explainer) title() {
	what, color, more := "no violation", ansiGood, "; this is what happened"
	if e.t.Experiment != nil {
		fmt.Fprintf(e.out, "%s: %s, seed %d; this is what happened\n", e.paint(ansiBold, "experiment "+wording.Printable(e.t.Scenario)), wording.Printable(e.t.Lock), e.t.Seed)
		return
	}
	if v := e.t.Verdict(); e.t.Trouble != nil {
		what, color, more = wording.Printable(e.t.Trouble.Kind), ansiBad, ""
	} else if v != nil {
		what, color, more = e.t.Broken(v.Property), ansiBad, ""
	}
	more = suffix(onReal(e.t)) + more
	fmt.Fprintf(e.out, "%s: %s under %s%s\n", e.paint(color, what), wording.Printable(e.t.Lock), wording.Printable(e.t.Scenario), more)
}

// rule says what the violated property asks, why the violation is a limit, and what came out on real
// servers.
func (e *explainer) rule() {
	if text := realText(e.t); text != "" {
		e.paragraph("  ", text, e.text, ansiFaint)
	}
	v := e.t.Verdict()
	if v == nil || e.t.Trouble != nil {
		return
	}
	if d := e.t.Description(v.Property); d.Asks != "" && d.Rule == "" { // the title has a program's rule
		e.paragraph("  ", "The rule: "+d.Asks, e.text, ansiFaint)
	}
	if e.t.Limit {
		e.paragraph("  ", limitText(e.t), e.text, ansiFaint)
	}
	for _, r := range results(e.t) {
		color := map[string]string{"good": ansiGood, "soft": ansiFaint}[r.Class]
		e.paragraph("  ", wording.Capital(r.Text)+".", e.text, color)
	}
}

// sentence says how the property was violated, or why the run did not finish.
func (e *explainer) sentence() {
	v := e.t.Verdict()
	switch {
	case e.t.Trouble != nil:
		e.paragraph("  ", wording.Printable(e.t.Trouble.Reason), e.width, ansiBold)
		e.paragraph("  ", troubleText, e.text, ansiFaint)
		if stack := stackText(e.t); stack != "" {
			fmt.Fprintf(e.out, "\n%s\n", wording.Indent(stack))
		}
	case v != nil && v.Sentence != "":
		e.paragraph("  ", wording.Printable(v.Sentence), e.width, ansiBold)
	default:
		return
	}
	e.out.WriteByte('\n')
}

// paragraph writes text broken into lines, each indented and painted.
func (e *explainer) paragraph(indent, text string, width int, color string) {
	for _, line := range wording.Wrap(text, width-utf8.RuneCountInString(indent)) {
		fmt.Fprintf(e.out, "%s%s\n", indent, e.paint(color, line))
	}
}

// steps writes the steps that are kept, with the times and actors of all aligned, and how many are left
// out.
func (e *explainer) steps(all []Step, kept []bool) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(e.out, "%s\n", e.paint(ansiBold, "What happened"))
	decimals, timeWidth, nameWidth := stepDecimals(all), 0, 0
	for _, s := range all {
		timeWidth = max(timeWidth, len(traces.Seconds(s.At, decimals)))
		nameWidth = max(nameWidth, utf8.RuneCountInString(stepActor(s)))
	}
	left := 0
	for i, s := range all {
		if !kept[i] {
			left++
			continue
		}
		mark, color := "  ", ""
		if s.Violating {
			mark, color = "✗ ", ansiBad
		}
		name := stepActor(s)
		pad := strings.Repeat(" ", nameWidth-utf8.RuneCountInString(name))
		head := fmt.Sprintf("%s%*s  ", mark, timeWidth, traces.Seconds(s.At, decimals))
		hang := strings.Repeat(" ", utf8.RuneCountInString(head)+nameWidth+2)
		lines := wording.Wrap(s.Text, e.width-len(hang))
		fmt.Fprintf(e.out, "%s%s%s  %s\n", e.paint(color, head), e.paint(e.colorOf(s.Actor), name), pad, e.paint(color, lines[0]))
		for _, line := range lines[1:] {
			fmt.Fprintf(e.out, "%s%s\n", hang, e.paint(color, line))
		}
	}
	if left > 0 {
		fmt.Fprintf(e.out, "  %s\n", e.paint(ansiFaint, fmt.Sprintf("… %s left out", wording.Count(left, "step"))))
	}
	e.out.WriteByte('\n')
}

// fewer says which of the steps are kept if there is room for so many: those until the violation, and of
// these the ones that weigh most. Of as many the ones in the middle go first. Those that decided the verdict
// are kept, however many they are.
func fewer(all []Step, most int) []bool {
	kept, until := make([]bool, len(all)), len(UntilViolated(all))
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	fromMiddle := func(i int) int { return max(i-until/2, until/2-i) }
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(
			trueFirst(all[a].Decides, all[b].Decides),
			trueFirst(a < until, b < until),
			cmp.Compare(all[b].weight, all[a].weight),
			cmp.Compare(fromMiddle(b), fromMiddle(a)),
		)
	})
	for n, i := range order {
		kept[i] = n < most || all[i].Decides
	}
	return kept
}

// colorOf is the colour of an actor's name; only clients have one.
func (e *explainer) colorOf(actor string) string {
	n := 0
	for _, a := range e.t.Actors {
		if a.Kind != traces.ClientActor {
			continue
		}
		if a.Name == actor {
			return ansiClients[n%len(ansiClients)]
		}
		n++
	}
	return ""
}

// verdicts writes the verdict on each property.
func (e *explainer) verdicts() {
	if len(e.t.Verdicts) == 0 {
		return
	}
	fmt.Fprintf(e.out, "%s\n", e.paint(ansiBold, "What was judged"))
	width := 0
	for _, v := range e.t.Verdicts {
		width = max(width, utf8.RuneCountInString(wording.Printable(v.Property)))
	}
	for _, v := range e.t.Verdicts {
		color := verdictColors[v.Status]
		name := wording.Printable(v.Property)
		pad := strings.Repeat(" ", width-utf8.RuneCountInString(name))
		fmt.Fprintf(e.out, "%s %s%s  %s\n", e.paint(color, verdictMarks[v.Status]), name, pad, e.paint(color, cameTo(&v)))
		if v.Sentence != "" && v.Property != e.t.Property {
			e.paragraph(strings.Repeat(" ", width+4), wording.Printable(v.Sentence), e.text, ansiFaint)
		}
	}
	e.out.WriteByte('\n')
}

// verdictColors are those of verdicts; undecided ones have none.
var verdictColors = map[model.Status]string{model.Holds: ansiGood, model.Violated: ansiBad, model.NotApplicable: ansiFaint}

// attribution writes what the counterexample needs, and which remedies prevent it.
func (e *explainer) attribution() {
	a := e.t.Attribution
	if a == nil {
		return
	}
	fmt.Fprintf(e.out, "%s\n", e.paint(ansiBold, needsTitle))
	if len(a.Deviations) == 0 {
		fmt.Fprintf(e.out, "  %s\n", calmEnough)
	}
	width := utf8.RuneCountInString("not needed")
	shown, left := shownDeviations(a)
	for _, d := range shown {
		color := ""
		if !d.Needed {
			color = ansiFaint
		}
		e.item(deviationMark(d), color, fmt.Sprintf("%-*s", width, deviationVerdict(d)), wording.Printable(d.Text))
	}
	if left > 0 {
		fmt.Fprintf(e.out, "%s\n", e.paint(ansiFaint, "  "+leftOut(left)))
	}
	for _, text := range []string{untriedText(a), ManyNeeds(a, e.t.Shrunk)} {
		if text != "" {
			e.paragraph("  ", text, e.text, ansiFaint)
		}
	}
	e.out.WriteByte('\n')
	if len(a.Remedies) == 0 {
		return
	}
	fmt.Fprintf(e.out, "%s\n", e.paint(ansiBold, remediesTitle))
	width = 0
	for _, r := range a.Remedies {
		if n := utf8.RuneCountInString(wording.Printable(r.Text)); n <= maxColumn {
			width = max(width, n)
		}
	}
	for i := range a.Remedies {
		r := &a.Remedies[i]
		name := wording.Printable(r.Text)
		color := map[string]string{"✓": ansiGood, "✗": ansiBad}[remedyMark(r)]
		e.item(remedyMark(r), color, name+strings.Repeat(" ", max(0, width-utf8.RuneCountInString(name))), remedyComes(r))
	}
	e.out.WriteByte('\n')
}

// The titles of the parts of an attribution.
const (
	needsTitle    = "What it needs"
	remediesTitle = "What would have helped"
)

// maxColumn is the widest column of texts.
const maxColumn = 44

// item writes a line of a list: a mark, a column, and what is broken into
// lines beside it, or below if the column is too long.
func (e *explainer) item(mark, color, column, text string) {
	indent := utf8.RuneCountInString(column) + 4
	if indent > min(maxColumn+4, e.text/2) {
		e.paragraph("", mark+" "+strings.TrimRight(column, " "), e.text, color)
		e.paragraph("    ", text, e.text, "")
		return
	}
	lines := wording.Wrap(text, e.text-indent)
	fmt.Fprintf(e.out, "%s %s  %s\n", e.paint(color, mark), column, lines[0])
	for _, line := range lines[1:] {
		fmt.Fprintf(e.out, "%s%s\n", strings.Repeat(" ", indent), line)
	}
}

// origin writes where the run came from.
func (e *explainer) origin() {
	t := e.t
	if len(t.Parameters) > 0 {
		fmt.Fprintf(e.out, "parameters  %s\n", strings.Join(parameters(t.Parameters), " "))
	}
	if t.Real != nil {
		fmt.Fprintf(e.out, "made        %s\n", realFact(t.Real))
	}
	if t.Schedule >= 0 {
		fmt.Fprintf(e.out, "found by    %s\n", foundLine(t))
	}
	if text := shrunkLine(t); text != "" {
		fmt.Fprintf(e.out, "shrunk      %s\n", text)
	}
	fmt.Fprintf(e.out, "recorded    %s\n", versionText(t))
	if text := t.LeftOut(); text != "" {
		e.paragraph("", text, textWidth, "")
	}
}

// Outline says what a trace shows in two lines: what is violated, and how.
func Outline(t *traces.Trace) []string {
	return unbroken(t, func(e *explainer) {
		e.title()
		e.sentence()
	})
}

// Brief is what [Explain] says if the style is brief, until the property is
// violated: what is wrong, and the steps that lead to it. The sentence is one line, and so is each
// step, however long it is.
func Brief(t *traces.Trace) (wrong, steps []string) {
	until := UntilViolated(Steps(t))
	wrong = unbroken(t, (*explainer).headline)
	steps = unbroken(t, func(e *explainer) { e.steps(until, fewer(until, len(until))) })
	return wrong, steps
}

// unbroken are the lines that are written where no width breaks them.
func unbroken(t *traces.Trace, write func(*explainer)) []string {
	var out bytes.Buffer
	write(&explainer{out: &out, t: t, text: textWidth, width: math.MaxInt})
	return strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' })
}
