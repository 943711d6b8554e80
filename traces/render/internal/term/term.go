// Package term writes paragraphs and colours for terminals.
package term

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// Writer writes paragraphs and colours.
type Writer struct {
	Out *bytes.Buffer
	// Color allows ANSI escape sequences. The text is the same without.
	Color bool
	// Actors have the clients whose names have colours.
	Actors []traces.Actor
}

// TextWidth is where lines are broken, and LeastWidth where they are on a narrow terminal.
const (
	TextWidth  = 100
	LeastWidth = 40
)

// Escape sequences of the colours used.
const (
	Bold  = "1"
	Faint = "2"
	Bad   = "1;31"
	Good  = "32"
)

// ansiClients are the colours of clients, in the order of their lanes.
var ansiClients = []string{"34", "33", "32", "35", "36", "94", "93", "95"}

// Paint returns s in a colour, if colours are allowed.
func (e *Writer) Paint(color, s string) string {
	if !e.Color || color == "" {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

// Paragraph writes text broken into lines, each indented and painted.
func (e *Writer) Paragraph(indent, text string, width int, color string) {
	for _, line := range wording.Wrap(text, width-utf8.RuneCountInString(indent)) {
		fmt.Fprintf(e.Out, "%s%s\n", indent, e.Paint(color, line))
	}
}

// ColorOf returns the colour of an actor's name; only clients have one.
func (e *Writer) ColorOf(actor string) string {
	n := 0
	for _, a := range e.Actors {
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

// Hanging writes text behind a head, broken into lines.
func (e *Writer) Hanging(head, text string) {
	indent := strings.Repeat(" ", utf8.RuneCountInString(head))
	for i, line := range wording.Wrap(text, TextWidth-len(indent)) {
		if i == 0 {
			fmt.Fprintf(e.Out, "%s%s\n", head, line)
			continue
		}
		fmt.Fprintf(e.Out, "%s%s\n", indent, line)
	}
}
