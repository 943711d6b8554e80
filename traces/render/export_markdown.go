package render

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// Markdown writes what Explain says, with a sequence diagram that GitHub and GitLab draw, as a
// section of a page. Level is that of its heading, from 1 to 6. Replay is the command that runs
// the trace again, empty if there is none.
func Markdown(out *bytes.Buffer, t *traces.Trace, replay string, level int) error {
	outline := Outline(t)
	if len(outline) > 0 {
		fmt.Fprintf(out, "%s %s\n\n", strings.Repeat("#", level), wording.Markdown(outline[0]))
	}
	for _, line := range outline[min(1, len(outline)):] {
		fmt.Fprintf(out, "**%s**\n\n", wording.Markdown(strings.TrimSpace(line)))
	}
	for _, r := range results(t) {
		fmt.Fprintf(out, "%s.\n\n", wording.Markdown(wording.Capital(r.Text)))
	}
	if text := realText(t); text != "" {
		fmt.Fprintf(out, "%s\n\n", wording.Markdown(text))
	}
	s := newStory(t)
	steps := s.steps()
	if len(steps) > 0 {
		out.WriteString("| time | who | what |\n| --- | --- | --- |\n")
		decimals := stepDecimals(steps)
		for _, s := range steps {
			text := wording.Markdown(s.Text)
			if s.Violating {
				text = "**✗ " + text + "**"
			}
			fmt.Fprintf(out, "| %s | %s | %s |\n", traces.Seconds(s.At, decimals), wording.Markdown(s.Actor), text)
		}
		if text := s.omittedSteps(steps); text != "" {
			fmt.Fprintf(out, "\n%s\n", wording.Markdown(text))
		}
		out.WriteString("\n```mermaid\n")
		if err := writeMermaid(out, t, replay); err != nil {
			return err
		}
		out.WriteString("```\n\n")
	}
	if t.Attribution != nil {
		fmt.Fprintf(out, "%s\n\n", wording.Markdown(AttributionSentence(t.Attribution, t.Shrunk)))
	}
	if text := t.LeftOut(); text != "" {
		fmt.Fprintf(out, "%s\n\n", wording.Markdown(text))
	}
	if replay != "" {
		out.WriteString("Replay:\n\n" + wording.Fenced("sh", replay))
	}
	return nil
}
