package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render/export"
	"github.com/lockpick-dev/lockpick/traces/render/page"
	"github.com/lockpick-dev/lockpick/traces/render/picture"
)

// Format is a form in which people and other programs read traces.
type Format struct {
	// Name is its name, such as "mermaid", and Ending the ending of its files' names.
	Name, Ending string
	// About is one line: a description, and which programs read it.
	About string

	write func(out *bytes.Buffer, t *traces.Trace, replay string) error
}

// Formats returns the formats, the usual one first.
func Formats() []Format {
	return []Format{
		{"html", ".html", "a page with a picture, for a browser", func(out *bytes.Buffer, t *traces.Trace, replay string) error { return page.View(out, t, replay) }},
		{"svg", ".svg", "the picture alone", func(out *bytes.Buffer, t *traces.Trace, _ string) error { return picture.Draw(out, t) }},
		{"markdown", ".md", "the explanation with a sequence diagram, for an issue", func(out *bytes.Buffer, t *traces.Trace, replay string) error {
			return export.Markdown(out, t, replay, 1)
		}},
		{"mermaid", ".mmd", "the story as a sequence diagram, for what understands Mermaid", export.Mermaid},
		{"perfetto", ".perfetto.json", "all that happened on a time line, for ui.perfetto.dev and chrome://tracing", export.Perfetto},
		{"shiviz", ".log", "all events with vector clocks, for ShiViz", export.ShiViz},
		{"json", ".json", "the explanation as JSON, for programs", export.JSON},
	}
}

// FormatOf finds a format by its name or, if the name is empty, by the ending of a file's name. The error lists the known
// formats.
func FormatOf(name, file string) (Format, error) {
	all := Formats()
	var best *Format
	for i := range all {
		f := &all[i]
		if name != "" {
			if f.Name == name {
				return *f, nil
			}
			continue
		}
		if strings.HasSuffix(strings.ToLower(file), f.Ending) && (best == nil || len(f.Ending) > len(best.Ending)) {
			best = f
		}
	}
	if best != nil {
		return *best, nil
	}
	var names, known []string
	for _, f := range all {
		names, known = append(names, f.Name), append(known, fmt.Sprintf("%s (%s)", f.Name, f.Ending))
	}
	if name != "" {
		return Format{}, errors.New(wording.Unknown("format", name, names))
	}
	return Format{}, fmt.Errorf("no format has the ending of %s; there are %s", file, strings.Join(known, ", "))
}

// Write writes a trace. Replay is the command that runs it again, empty if there is none.
func (f Format) Write(w io.Writer, t *traces.Trace, replay string) error {
	var out bytes.Buffer
	if err := f.write(&out, t, replay); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}
