package export

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Markdown writes the text of Explain, with a sequence diagram that GitHub and GitLab draw, as a section of a page. Level
// is that of its heading, from 1 to 6. Replay is the command that runs the trace again, empty if there is none.
func Markdown(out *bytes.Buffer, t *traces.Trace, replay string, level int) error {
	outline := story.Outline(t)
	if len(outline) > 0 {
		fmt.Fprintf(out, "%s %s\n\n", strings.Repeat("#", level), wording.Markdown(outline[0]))
	}
	for _, line := range outline[min(1, len(outline)):] {
		fmt.Fprintf(out, "**%s**\n\n", wording.Markdown(strings.TrimSpace(line)))
	}
	for _, r := range story.Results(t) {
		fmt.Fprintf(out, "%s.\n\n", wording.Markdown(wording.Capital(r.Text)))
	}
	if text := story.RealText(t); text != "" {
		fmt.Fprintf(out, "%s\n\n", wording.Markdown(text))
	}
	s := story.Of(t)
	steps := s.Steps
	if len(steps) > 0 {
		out.WriteString("| time | who | what |\n| --- | --- | --- |\n")
		decimals := story.StepDecimals(steps)
		for _, s := range steps {
			text := wording.Markdown(s.Text)
			if s.Violating {
				text = "**✗ " + text + "**"
			}
			fmt.Fprintf(out, "| %s | %s | %s |\n", traces.Seconds(s.At, decimals), wording.Markdown(s.Actor), text)
		}
		if text := s.Omitted; text != "" {
			fmt.Fprintf(out, "\n%s\n", wording.Markdown(text))
		}
		out.WriteString("\n```mermaid\n")
		if err := Mermaid(out, t, replay); err != nil {
			return err
		}
		out.WriteString("```\n\n")
	}
	if t.Attribution != nil {
		fmt.Fprintf(out, "%s\n\n", wording.Markdown(story.AttributionSentence(t.Attribution, t.Shrunk)))
	}
	if text := t.LeftOut(); text != "" {
		fmt.Fprintf(out, "%s\n\n", wording.Markdown(text))
	}
	if replay != "" {
		out.WriteString("Replay:\n\n" + wording.Fenced("sh", replay))
	}
	return nil
}
