package page

import (
	"github.com/lockpick-dev/lockpick/traces/render/picture"
	"github.com/lockpick-dev/lockpick/traces/story"

	_ "embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/lockpick-dev/lockpick/traces"
)

// the figure

var (
	//go:embed view/figure.html
	figureHTML string
	//go:embed view/figure.css
	figureCSS string

	figureTemplate = template.Must(template.New("figure").Parse(figureHTML))
)

// FigureStyle returns the style sheet that [Figure] needs, once a page. Its colours
// are those of [View], for light and for dark.
func FigureStyle() string { return picture.ColorsCSS + picture.PictureCSS + figureCSS }

// figure is the data of a figure's template.
type figure struct {
	Sentence, CalmEnough string
	Picture              template.HTML
	Scale                string // if the picture does not show all of the story
	TooMuch              bool
	Steps                []picture.NumberedStep
	Needs                []pageItem
	Results              []story.Result // on real servers
}

// Figure writes the run of a trace as a part of a page that shows several: what is wrong, the steps, what the
// counterexample needs, and the run as a picture to scale in time. It needs no script; text from the trace is shown as
// text. Ids of elements begin with id, which must be a word that no other figure of the page has. If too much happens in a
// run, the picture shows only its beginning, or is left out. [View] shows everything.
func Figure(w io.Writer, t *traces.Trace, id string) error {
	s := story.Of(t)
	p := picture.New(s)
	var needs page
	needs.attribution(t.Attribution, t.Shrunk)
	f := figure{Sentence: story.Headline(t), Steps: p.NumberedSteps(), Needs: needs.Needs, CalmEnough: needs.CalmEnough, Results: story.Results(t)}
	f.Picture, f.Scale = figureOf(p, id, picture.StoryWindow(s))
	f.TooMuch = f.Picture == ""
	if err := figureTemplate.Execute(w, f); err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	return nil
}

// maxFigure is the maximum number of bytes of a figure's picture. Most have half of that.
const maxFigure = 60_000

// figureOf returns the picture of the story, or of as much of its beginning as fits, and a description of the part that it
// shows; empty if nothing fits.
func figureOf(p *picture.Picture, id string, all picture.Window) (svg template.HTML, scale string) {
	shown := all
	for shown.Span() >= time.Second {
		text := p.PlainSVG(picture.NewFrame(id, shown))
		if len(text) > maxFigure {
			shown.To = shown.From + shown.Span()/2
			continue
		}
		if shown != all {
			scale = "The picture shows " + scaleText(shown, picture.WholeRun(p.Trace), p.Trace) + "."
		}
		return template.HTML(text), scale
	}
	return "", ""
}
