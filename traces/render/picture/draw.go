package picture

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Sizes of a drawing, in pixels.
const (
	drawMargin    = 14
	sentenceLine  = 22  // the height of a line of the sentence
	sentenceWidth = 112 // characters that a line has room for, in a wide font
	stepLine      = 19  // the height of a step
	stepWidth     = 124 // characters that a step has room for, in a wide font
	stepText      = 200 // where the text of a step begins
)

// Draw writes the run of a trace as a picture to scale in time, with what is wrong above it and the steps below it: one
// SVG file without external references or scripts, for documents and reports. A trace's page shows more.
func Draw(w io.Writer, t *traces.Trace) error {
	s := story.Of(t)
	p := New(s)
	f := NewFrame("overview", StoryWindow(s))
	d := drawing{width: PictureWidth + 2*drawMargin, height: drawMargin}
	for _, line := range wording.Wrap(story.Headline(t), sentenceWidth) {
		d.height += sentenceLine
		d.text(drawMargin, "sentence", line)
	}
	d.height += drawMargin
	fmt.Fprintf(&d.body, "<g transform=\"translate(%d %s)\">\n%s</g>\n", drawMargin, Px(d.height), p.SVG(f, nil))
	d.height += p.Height + axisHeight
	for _, step := range p.NumberedSteps() {
		d.step(step)
	}
	_, err := io.WriteString(w, d.file())
	return err
}

// drawing is an SVG file under construction: its content so far, and the height of that.
type drawing struct {
	body   strings.Builder
	width  int
	height float64
}

// text adds a text on the present line.
func (d *drawing) text(x int, class, text string) {
	fmt.Fprintf(&d.body, `<text x="%d" y="%s" class="%s">%s</text>`+"\n", x, Px(d.height), class, wording.HTML(text))
}

// step adds a step with its number, which is in the picture as well.
func (d *drawing) step(s NumberedStep) {
	class := "step"
	if s.Violating {
		class = "step violating"
	}
	for i, line := range wording.Wrap(s.Text, stepWidth) {
		d.height += stepLine
		if i == 0 {
			d.text(drawMargin+22, class+" number", strconv.Itoa(s.Number))
			d.text(drawMargin+100, class+" number", s.Time)
			d.text(drawMargin+112, class, s.Actor)
		}
		d.text(stepText, class, line)
	}
}

// drawingCSS is the style of a drawing's texts around the picture.
const drawingCSS = `.ground { fill: var(--card); }
.step { fill: var(--ink); font-size: 13px; }
.sentence { fill: var(--ink); font-size: 16px; font-weight: 600; }
.number { text-anchor: end; font-variant-numeric: tabular-nums; }
.violating { fill: var(--bad); font-weight: 600; }
`

// file returns the drawing as a file.
func (d *drawing) file() string {
	height := Px(d.height + drawMargin)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %s" width="%d" height="%s" font-family="-apple-system, Segoe UI, Roboto, Helvetica Neue, Liberation Sans, Arial, sans-serif">`+"\n", d.width, height, d.width, height) +
		"<style>\n" + ColorsCSS + drawingCSS + PictureCSS + "</style>\n<defs>\n" + DefsSVG + "</defs>\n" +
		fmt.Sprintf(`<rect class="ground" width="%d" height="%s"/>`+"\n", d.width, height) + d.body.String() + "</svg>\n"
}

// NumberedStep is a step in the list of a picture or page.
type NumberedStep struct {
	Number    int
	At        int64
	Time      string
	Actor     string
	Color     string
	Text      string
	Violating bool
	Code      string // the line of the user's code behind it
	// Again describes how often it is repeated, Repeats are the first repetitions, and More is the number of others.
	Again   string
	Repeats []Repeat
	More    int
}

// Repeat is the time of a repetition of a step.
type Repeat struct {
	At   int64
	Time string
}

// NumberedSteps returns the steps of a picture.
func (p *Picture) NumberedSteps() []NumberedStep {
	decimals := story.StepDecimals(p.Steps)
	all := make([]NumberedStep, len(p.Steps))
	for i, s := range p.Steps {
		all[i] = NumberedStep{
			Number: i + 1, At: int64(s.At), Time: traces.Seconds(s.At, decimals), Actor: story.StepActor(s), Color: p.ColorOf(s.Actor),
			Text: s.Text, Violating: s.Violating,
		}
	}
	return all
}

// maxRepeats is the maximum number of repetitions of a step that the page lists.
const maxRepeats = 20

// OpenedSteps returns the steps of the page, each with its line of code and the times of its repetitions.
func (p *Picture) OpenedSteps() []NumberedStep {
	all := p.NumberedSteps()
	for i := range all {
		s := &p.Steps[i]
		all[i].Code = p.BehindCode(s.Seq, s.Actor)
		if s.Again == 0 {
			continue
		}
		all[i].Again = s.RepeatText()
		all[i].Text = strings.TrimSuffix(s.Text, s.UntilText())
		again := p.Repeats[s.Seq]
		all[i].More = max(0, len(again)-maxRepeats)
		for _, at := range again[:len(again)-all[i].More] {
			all[i].Repeats = append(all[i].Repeats, Repeat{int64(at.At), traces.Seconds(at.At, 4)})
		}
	}
	return all
}
