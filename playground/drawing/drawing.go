package drawing

import (
	"bytes"
	"strings"

	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// Request is a trace to draw.
type Request struct {
	// Trace is the trace as a file. Command is shown on the page as the command that makes the run again.
	Trace   string `json:"trace"`
	Command string `json:"command"`
}

// Drawn is a trace as text and as a page.
type Drawn struct {
	Type  string `json:"type"` // "drawn"
	Story string `json:"story"`
	Page  string `json:"page"`
}

// Draw draws a trace.
func Draw(q Request) (Drawn, error) {
	t, err := traces.Decode(strings.NewReader(q.Trace))
	if err != nil {
		return Drawn{}, err
	}
	var text, page bytes.Buffer
	if err := render.Explain(&text, t, render.Style{}); err != nil {
		return Drawn{}, err
	}
	if err := render.View(&page, t, q.Command); err != nil {
		return Drawn{}, err
	}
	return Drawn{Type: "drawn", Story: text.String(), Page: page.String()}, nil
}
