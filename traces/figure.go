package traces

import (
	_ "embed" // the figure
	"fmt"
	"html/template"
	"io"
	"regexp"
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
	TooMuch              string
	Steps                []pageStep
	Needs                []pageItem
}

// Figure writes the run of a trace as a part of a page that shows several: what
// is wrong, the steps, what the counterexample needs, and the run as a picture to
// scale in time. It needs no script; text that comes from the trace is shown as
// text. Elements within have ids that begin with the given one, which must be a
// word and no other figure's of the page. Of a run in which very much happens the
// picture is left out. [View] shows all.
func Figure(w io.Writer, t *Trace, id string) error {
	s := newStory(t)
	p := newPicture(s)
	var needs page
	needs.attribution(t.Attribution)
	f := figure{Sentence: headline(t), Steps: p.pageSteps(), Needs: needs.Needs, CalmEnough: needs.CalmEnough}
	picture := scriptData.ReplaceAllString(p.svg(newFrame(id, s.storyWindow(p.steps)), nil), "")
	if f.Picture = template.HTML(picture); len(picture) > maxFigure {
		f.Picture, f.TooMuch = "", fmt.Sprintf("The run lasts %s, and too much happens in it for a picture on this page.", Briefly(t.endAt()))
	}
	if err := figureTemplate.Execute(w, f); err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	return nil
}

// maxFigure is how many bytes the picture of a figure may have. Most have a third
// of that.
const maxFigure = 100_000

// scriptData are the attributes of a picture that are for a script, which is a
// third of it. No text can be taken for one: in texts, quotes are escaped.
var scriptData = regexp.MustCompile(` (data-[a-z]+|tabindex)="[^"]*"`)
