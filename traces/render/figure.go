package render

import (
	_ "embed" // the figure
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/lockpick-dev/lockpick/traces"
)

var (
	//go:embed view/figure.html
	figureHTML string
	//go:embed view/figure.css
	figureCSS string

	figureTemplate = template.Must(template.New("figure").Parse(figureHTML))
)

// FigureStyle is the style sheet that [Figure] needs, once a page. Its colours
// are those of [View], for light and for dark.
func FigureStyle() string { return colorsCSS + pictureCSS + figureCSS }

// FigureDefs are the SVG definitions that [Figure] needs, once a page, with the
// id's hatch and downhatch.
func FigureDefs() template.HTML {
	return template.HTML(`<svg class="defs" width="0" height="0" aria-hidden="true"><defs>` + defsSVG + `</defs></svg>`)
}

// figure is what the template of a figure shows.
type figure struct {
	Sentence, CalmEnough string
	Picture              template.HTML
	Scale                string // if the picture does not show all of the story
	TooMuch              bool
	Steps                []pageStep
	Needs                []pageItem
	Results              []pageResult // on real servers
}

// Figure writes the run of a trace as a part of a page that shows several: what is
// wrong, the steps, what the counterexample needs, and the run as a picture to
// scale in time. It needs no script; text that comes from the trace is shown as
// text. Elements within have ids that begin with the given one, which must be a
// word and no other figure's of the page. If too much happens in a run, the picture
// shows only its beginning, or is left out. [View] shows all.
func Figure(w io.Writer, t *traces.Trace, id string) error {
	s := newStory(t)
	p := newPicture(s)
	var needs page
	needs.attribution(t.Attribution, t.Shrunk)
	f := figure{Sentence: headline(t), Steps: p.pageSteps(), Needs: needs.Needs, CalmEnough: needs.CalmEnough, Results: results(t)}
	f.Picture, f.Scale = p.figure(id, s.storyWindow(p.steps))
	f.TooMuch = f.Picture == ""
	if err := figureTemplate.Execute(w, f); err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	return nil
}

// maxFigure is how many bytes the picture of a figure may have. Most have half of
// that.
const maxFigure = 60_000

// figure is the picture of the story, or of as much of its beginning as fits, and
// says which part it shows; empty if nothing does.
func (p *picture) figure(id string, story window) (svg template.HTML, scale string) {
	shown := story
	for shown.span() >= time.Second {
		text := scriptData.ReplaceAllString(p.svg(newFrame(id, shown), nil), "")
		if len(text) > maxFigure {
			shown.to = shown.from + shown.span()/2
			continue
		}
		if shown != story {
			scale = "The picture shows " + scaleText(shown, wholeRun(p.t), p.t) + "."
		}
		return template.HTML(text), scale
	}
	return "", ""
}
