package render

import (
	"bytes"
	"html/template"
	"io"

	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render/diff"
	"github.com/lockpick-dev/lockpick/traces/render/export"
	"github.com/lockpick-dev/lockpick/traces/render/page"
	"github.com/lockpick-dev/lockpick/traces/render/picture"
	"github.com/lockpick-dev/lockpick/traces/render/text"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Style is the look of a text.
type Style = text.Style

// Explanation is the output of [Explain], for programs.
type Explanation = export.Explanation

// Compared is a run that is compared with another.
type Compared = story.Compared

// Explain writes an explanation of a trace: see [text.Explain].
func Explain(w io.Writer, t *traces.Trace, c Style) error { return text.Explain(w, t, c) }

// Brief returns what is wrong in a trace, and the steps that lead to it: see [text.Brief].
func Brief(t *traces.Trace) (wrong, steps []string) { return text.Brief(t) }

// Draw writes a trace as a picture: see [picture.Draw].
func Draw(w io.Writer, t *traces.Trace) error { return picture.Draw(w, t) }

// View writes a trace as a page: see [page.View].
func View(w io.Writer, t *traces.Trace, replay string) error { return page.View(w, t, replay) }

// Figure writes a trace as a part of a page that shows several: see [page.Figure].
func Figure(w io.Writer, t *traces.Trace, id string) error { return page.Figure(w, t, id) }

// FigureStyle returns the style sheet that [Figure] needs, once a page.
func FigureStyle() string { return page.FigureStyle() }

// FigureDefs returns the SVG definitions that [Figure] needs, once a page.
func FigureDefs() template.HTML { return picture.FigureDefs() }

// Policy returns the content security policy of a page that loads nothing: see [picture.Policy].
func Policy(style string, scripts ...string) string { return picture.Policy(style, scripts...) }

// Markdown writes a trace as a section of a page: see [export.Markdown].
func Markdown(out *bytes.Buffer, t *traces.Trace, replay string, level int) error {
	return export.Markdown(out, t, replay, level)
}

// Difference is how two runs differ.
type Difference struct{ *story.Difference }

// Compare compares two runs.
func Compare(a, b Compared) *Difference { return &Difference{story.Compare(a, b)} }

// Text writes how the runs differ: see [diff.Text].
func (d *Difference) Text(w io.Writer, c Style) error { return diff.Text(w, d.Difference, c.Color) }

// Page writes how the runs differ as a page: see [diff.Page].
func (d *Difference) Page(w io.Writer, again string, notes ...string) error {
	return diff.Page(w, d.Difference, again, notes...)
}
