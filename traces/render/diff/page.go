package diff

import (
	"bytes"

	"github.com/lockpick-dev/lockpick/traces/render/picture"
	"github.com/lockpick-dev/lockpick/traces/story"

	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// the page

var (
	//go:embed view/diff.html
	diffHTML string
	//go:embed view/diff.css
	diffCSS string

	diffTemplate = template.Must(template.New("diff").Parse(diffHTML))
)

// comparison is rendered as text or as a page.
type comparison struct{ *story.Difference }

// diffPage is the data of the page's template.
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

// Page writes the runs as a page, one above the other on one scale of time from the first step that differs. Again is the
// command that compares them, and notes are further remarks about the runs, a sentence each. The page is like that of
// page.View, and has no script.
func Page(w io.Writer, difference *story.Difference, again string, notes ...string) error {
	d := comparison{difference}
	style := picture.SheetCSS + diffCSS
	p := diffPage{
		Policy: picture.Policy(style),
		Style:  template.CSS(style), Defs: picture.FigureDefs(), Equal: d.Equal(), Again: wording.Printable(again),
		Badge: "different", Headline: d.Headline(), FirstTitle: d.FirstTitle(), First: d.FirstText(), Marked: !d.OfReal(),
	}
	if p.Equal {
		p.Badge, p.First = "equal", ""
	}
	p.Title = p.Headline
	for _, note := range notes {
		p.Remarks = append(p.Remarks, wording.Printable(note))
	}
	for _, s := range []*story.Side{&d.A, &d.B} {
		p.Sides = append(p.Sides, d.pageSide(s))
	}
	for _, s := range d.Settings {
		p.Settings = append(p.Settings, diffPair{s.Name, s.A, s.B})
	}
	for _, v := range d.Verdicts {
		p.Verdicts = append(p.Verdicts, diffPair{v.Property, v.A, v.B})
	}
	for i, letter := range []string{"A", "B"} {
		for _, c := range d.Choices {
			if c.Letter == letter {
				p.Choices = append(p.Choices, diffChoice{letter, c.Words()})
			}
		}
		if n := d.More[i]; n > 0 {
			p.Choices = append(p.Choices, diffChoice{letter, story.MoreChoices(n)})
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

func (d comparison) pageSide(s *story.Side) diffSide {
	out := diffSide{Letter: s.Letter, Name: wording.Printable(s.Name), Title: s.Title(), Class: "good", LeftOut: s.Trace.LeftOut()}
	if v := s.Trace.Verdict(); v != nil {
		out.Class, out.Sentence = "bad", wording.Printable(v.Sentence)
	} else if s.Outcome() != "no violation" && s.Trace.Experiment == nil {
		out.Class = "bad"
	}
	if d.First.Number != 0 {
		out.First = d.EventOf(s)
	}
	return out
}

// drawInto draws both runs and writes the steps, numbered alike in words and pictures.
func (d comparison) drawInto(p *diffPage) {
	a, b := picture.New(d.A.Story()), picture.New(d.B.Story())
	d.number(a, b)
	if p.Marked {
		d.markFirst(a)
		d.markFirst(b)
	}
	decimals := d.Decimals()
	for i, r := range d.Rows {
		step := diffStep{Number: i + 1, A: "·", B: "·", Actor: story.StepActor(*r.Shown()), Text: r.Shown().Text}
		if r.A != nil {
			step.A, step.Color = traces.Seconds(r.A.At, decimals), a.ColorOf(r.A.Actor)
		}
		if r.B != nil {
			step.B, step.Color = traces.Seconds(r.B.At, decimals), b.ColorOf(r.B.Actor)
		}
		switch {
		case r.Violating():
			step.Class = "bad"
		case r.A == nil:
			step.Class = "only b"
		case r.B == nil:
			step.Class = "only a"
		}
		if i < d.From {
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
	if near := d.near(w); p.Marked && near.Span() <= w.Span()/3 {
		p.Pictures = append(p.Pictures, d.pair(a, b, "near", "Where the runs begin to differ, magnified", near))
	}
	for _, pic := range []*picture.Picture{a, b} {
		if note := pic.Extract.Note; note != "" && note != pic.Trace.LeftOut() { // the run's own line has that
			p.Notes = append(p.Notes, pic.Extract.Note)
		}
	}
}

// number puts the numbers of the steps into both pictures.
func (d comparison) number(a, b *picture.Picture) {
	put := func(p *picture.Picture, s *story.Step, n int) {
		if s == nil {
			return
		}
		if l := p.Lane(s.Actor); l != nil {
			p.Badges = append(p.Badges, picture.Badge{T: s.At, Y: l.Top + picture.StripHeight/2, Number: n, Violating: s.Violating})
		}
	}
	a.Badges, b.Badges = nil, nil
	for i, r := range d.Rows {
		put(a, r.A, i+1)
		put(b, r.B, i+1)
	}
}

// markFirst marks the time from which the runs differ, through all lanes.
func (d comparison) markFirst(p *picture.Picture) {
	at := d.DiffersAt()
	p.Add(picture.LayerMarks, picture.Shape{Kind: picture.ShapeLine, Class: "differs", T0: at, T1: at, Y0: picture.FlagTop, Y1: p.Height, Detail: picture.None})
	p.Write(picture.Label{Class: "flag differ", T0: at, T1: at, Y: picture.FlagTop + 13, Place: picture.PlaceBefore, Rank: picture.RankFrame, Long: "alike until here", Short: "alike"})
}

// window returns the stretch from the first step that differs to the last step of either run, with a margin.
func (d comparison) window() picture.Window {
	w := picture.Window{From: d.DiffersAt(), To: d.DiffersAt()}
	for _, r := range d.Rows[d.From:] {
		for _, s := range []*story.Step{r.A, r.B} {
			if s != nil {
				w.From, w.To = min(w.From, s.At), max(w.To, s.At)
			}
		}
	}
	for _, s := range []*story.Side{&d.A, &d.B} {
		if v := s.Verdict; v != nil && v.From.Happened() {
			w.To = max(w.To, v.From.At, v.To.At)
		}
	}
	margin := max(picture.LeastSpan, w.Span()/14)
	return picture.Window{From: w.From - margin, To: w.To + margin}
}

// near returns the stretch in which the messages at the first difference can be seen to travel.
func (d comparison) near(w picture.Window) picture.Window {
	const trips = 24 // as in the lens of a page
	span := max(picture.LeastSpan, min(trips*picture.MedianLatency(d.A.Trace), w.Span()))
	at := d.DiffersAt()
	return picture.Window{From: at - span/4, To: at + span*3/4}
}

// mostDrawn is the maximum number of bytes of the picture of a run.
const mostDrawn = 400_000

// pair draws both runs for a stretch of time, or for as much of its beginning as fits.
func (d comparison) pair(a, b *picture.Picture, id, title string, w picture.Window) diffPicture {
	draw := func(p *picture.Picture, letter string) string {
		p.Title, p.About = "Run "+letter+", to scale in time", fmt.Sprintf("From %s to %s, on the scale of the other run. The steps tell the same in words.", traces.Moment(w.From), traces.Moment(w.To))
		return p.PlainSVG(picture.NewFrame(id+letter, w))
	}
	for {
		one, two := draw(a, "A"), draw(b, "B")
		if max(len(one), len(two)) > mostDrawn && w.Span() > 2*picture.LeastSpan {
			w.To = w.From + w.Span()/2
			continue
		}
		_, decimals := picture.TickStep(w, picture.PictureWidth)
		scale := fmt.Sprintf("%s to %s of runs of %s and %s", traces.Seconds(max(0, w.From), decimals+1), traces.Seconds(w.To, decimals+1), traces.Briefly(a.Trace.EndAt()), traces.Briefly(b.Trace.EndAt()))
		return diffPicture{Title: title, Scale: scale, A: template.HTML(one), B: template.HTML(two)}
	}
}
