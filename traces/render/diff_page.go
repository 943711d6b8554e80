package render

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

var (
	//go:embed view/diff.html
	diffHTML string
	//go:embed view/diff.css
	diffCSS string

	diffTemplate = template.Must(template.New("diff").Parse(diffHTML))
)

// diffPage is what the template of the page shows.
type diffPage struct {
	Policy, Title, Headline string
	Style                   template.CSS
	Defs                    template.HTML
	Equal                   bool
	Badge, Again            string
	FirstTitle, First       string
	Marked                  bool // the pictures show up to where the runs are alike
	Sides                   []diffSide
	Settings, Verdicts      []diffPair
	Choices                 []diffChoice
	Alike                   []diffStep // the steps before the first that differs
	Steps                   []diffStep
	Pictures                []diffPicture
	Notes, Remarks          []string
}

type diffSide struct{ Letter, Name, Title, Class, Sentence, LeftOut, First string }

type diffPair struct{ Name, A, B string }

type diffChoice struct{ Letter, Text string }

type diffStep struct {
	Number             int
	A, B, Actor, Color string
	Text, Class        string
}

// diffPicture is a stretch of time of both runs.
type diffPicture struct {
	Title, Scale string
	A, B         template.HTML
}

// Page writes the runs as a page, one above the other on one scale of time from the first step that
// differs. Again is the command that compares them, and notes are further remarks about the runs, a
// sentence each. The page is like that of [View], and has no script.
func (d *Difference) Page(w io.Writer, again string, notes ...string) error {
	style := styleCSS + diffCSS
	p := diffPage{
		Policy: Policy(style),
		Style:  template.CSS(style), Defs: FigureDefs(), Equal: d.Equal(), Again: wording.Printable(again),
		Badge: "different", Headline: d.headline(), FirstTitle: d.firstTitle(), First: d.firstText(), Marked: !d.ofReal(),
	}
	if p.Equal {
		p.Badge, p.First = "equal", ""
	}
	p.Title = p.Headline
	for _, note := range notes {
		p.Remarks = append(p.Remarks, wording.Printable(note))
	}
	for _, s := range []*side{&d.a, &d.b} {
		p.Sides = append(p.Sides, d.pageSide(s))
	}
	for _, s := range d.settings {
		p.Settings = append(p.Settings, diffPair{s.name, s.a, s.b})
	}
	for _, v := range d.verdicts {
		p.Verdicts = append(p.Verdicts, diffPair{v.property, v.a, v.b})
	}
	for i, letter := range []string{"A", "B"} {
		for _, c := range d.choices {
			if c.letter == letter {
				p.Choices = append(p.Choices, diffChoice{letter, c.known()})
			}
		}
		if n := d.more[i]; n > 0 {
			p.Choices = append(p.Choices, diffChoice{letter, moreChoices(n)})
		}
	}
	if !p.Equal {
		d.drawInto(&p)
	}
	var out bytes.Buffer
	if err := diffTemplate.Execute(&out, p); err != nil {
		return fmt.Errorf("diff: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// headline says in a sentence what came of the comparison.
func (d *Difference) headline() string {
	switch {
	case d.Equal():
		return "The runs are equal: " + d.alike() + "."
	case d.ofReal():
		return d.realHeadline()
	case d.from < len(d.rows):
		r := d.rows[d.from]
		s := r.step()
		return fmt.Sprintf("The first step that differs: at %s in %s, %s %s", traces.Moment(s.At), r.in(), stepActor(*s), s.Text)
	case d.first.number != 0 && len(d.first.unknown) > 0:
		return fmt.Sprintf("The runs differ at event %s, at %s, if not before.", wording.Grouped(d.first.number), traces.Moment(d.first.at))
	case d.first.number != 0:
		return fmt.Sprintf("The runs differ from event %s on, at %s.", wording.Grouped(d.first.number), traces.Moment(d.first.at))
	}
	return d.firstText()
}

// in says which of the runs has a step.
func (r diffRow) in() string {
	switch {
	case r.b == nil:
		return "A alone"
	case r.a == nil:
		return "B alone"
	}
	return "A, and at " + traces.Moment(r.b.At) + " in B"
}

func (d *Difference) pageSide(s *side) diffSide {
	out := diffSide{Letter: s.letter, Name: wording.Printable(s.Name), Title: s.title(), Class: "good", LeftOut: s.Trace.LeftOut()}
	if v := s.Trace.Verdict(); v != nil {
		out.Class, out.Sentence = "bad", wording.Printable(v.Sentence)
	} else if s.outcome() != "no violation" && s.Trace.Experiment == nil {
		out.Class = "bad"
	}
	if d.first.number != 0 {
		out.First = d.eventOf(s)
	}
	return out
}

// drawInto draws both runs and writes the steps, numbered alike in words and pictures.
func (d *Difference) drawInto(p *diffPage) {
	a, b := newPicture(d.a.story), newPicture(d.b.story)
	d.number(a, b)
	if p.Marked {
		d.markFirst(a)
		d.markFirst(b)
	}
	decimals := d.decimals()
	for i, r := range d.rows {
		step := diffStep{Number: i + 1, A: "·", B: "·", Actor: stepActor(*r.step()), Text: r.step().Text}
		if r.a != nil {
			step.A, step.Color = traces.Seconds(r.a.At, decimals), a.colorOf(r.a.Actor)
		}
		if r.b != nil {
			step.B, step.Color = traces.Seconds(r.b.At, decimals), b.colorOf(r.b.Actor)
		}
		switch {
		case r.violating():
			step.Class = "bad"
		case r.a == nil:
			step.Class = "only b"
		case r.b == nil:
			step.Class = "only a"
		}
		if i < d.from {
			p.Alike = append(p.Alike, step)
		} else {
			p.Steps = append(p.Steps, step)
		}
	}
	w := d.window()
	title := "From the first step that differs"
	if !p.Marked {
		title = "Both runs"
	}
	p.Pictures = append(p.Pictures, d.pair(a, b, "from", title, w))
	if near := d.near(w); p.Marked && near.span() <= w.span()/3 {
		p.Pictures = append(p.Pictures, d.pair(a, b, "near", "Where the runs begin to differ, magnified", near))
	}
	for _, pic := range []*picture{a, b} {
		if note := pic.extract.note; note != "" && note != pic.t.LeftOut() { // which is said of the run
			p.Notes = append(p.Notes, pic.extract.note)
		}
	}
}

// number puts the numbers of the steps into both pictures.
func (d *Difference) number(a, b *picture) {
	put := func(p *picture, s *Step, n int) {
		if s == nil {
			return
		}
		if l := p.lane(s.Actor); l != nil {
			p.badges = append(p.badges, badge{t: s.At, y: l.top + stripHeight/2, number: n, violating: s.Violating})
		}
	}
	a.badges, b.badges = nil, nil
	for i, r := range d.rows {
		put(a, r.a, i+1)
		put(b, r.b, i+1)
	}
}

// markFirst marks the moment from which on the runs differ, through all lanes.
func (d *Difference) markFirst(p *picture) {
	at := d.differsAt()
	p.add(layerMarks, shape{kind: shapeLine, class: "differs", t0: at, t1: at, y0: flagTop, y1: p.height, detail: none})
	p.write(label{class: "flag differ", t0: at, t1: at, y: flagTop + 13, place: placeBefore, rank: rankFrame, long: "alike until here", short: "alike"})
}

// differsAt is the moment from which on the runs differ: of the first event, or of the first
// step that differs if all events are the same.
func (d *Difference) differsAt() time.Duration {
	if d.first.number == 0 && d.from < len(d.rows) {
		return d.rows[d.from].step().At
	}
	return min(d.differsFrom(), max(d.a.Trace.EndAt(), d.b.Trace.EndAt()))
}

// window is from the first step that differs to the last step of either run, with a margin.
func (d *Difference) window() window {
	w := window{d.differsAt(), d.differsAt()}
	for _, r := range d.rows[d.from:] {
		for _, s := range []*Step{r.a, r.b} {
			if s != nil {
				w.from, w.to = min(w.from, s.At), max(w.to, s.At)
			}
		}
	}
	for _, s := range []*side{&d.a, &d.b} {
		if v := s.verdict; v != nil && v.From.Happened() {
			w.to = max(w.to, v.From.At, v.To.At)
		}
	}
	margin := max(leastSpan, w.span()/14)
	return window{w.from - margin, w.to + margin}
}

// near is the stretch in which the messages at the first difference can be seen to travel.
func (d *Difference) near(w window) window {
	const trips = 24 // as in the lens of a page
	span := max(leastSpan, min(trips*medianLatency(d.a.Trace), w.span()))
	at := d.differsAt()
	return window{at - span/4, at + span*3/4}
}

// mostDrawn is how many bytes the picture of a run may have.
const mostDrawn = 400_000

// pair draws both runs for a stretch of time, or for as much of its beginning as fits.
func (d *Difference) pair(a, b *picture, id, title string, w window) diffPicture {
	draw := func(p *picture, letter string) string {
		p.title, p.about = "Run "+letter+", to scale in time", fmt.Sprintf("From %s to %s, on the scale of the other run. The steps tell the same in words.", traces.Moment(w.from), traces.Moment(w.to))
		return scriptData.ReplaceAllString(p.svg(newFrame(id+letter, w), nil), "")
	}
	for {
		one, two := draw(a, "A"), draw(b, "B")
		if max(len(one), len(two)) > mostDrawn && w.span() > 2*leastSpan {
			w.to = w.from + w.span()/2
			continue
		}
		_, decimals := tickStep(w, pictureWidth)
		scale := fmt.Sprintf("%s to %s of runs of %s and %s", traces.Seconds(max(0, w.from), decimals+1), traces.Seconds(w.to, decimals+1), traces.Briefly(a.t.EndAt()), traces.Briefly(b.t.EndAt()))
		return diffPicture{Title: title, Scale: scale, A: template.HTML(one), B: template.HTML(two)}
	}
}
