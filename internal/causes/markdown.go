package causes

import (
	"bytes"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// Markdown writes a story as a section of a page: what Explain says of it with a sequence
// diagram, or how the run ended. Replay is the command that shows it again.
func (s *Story) Markdown(out *bytes.Buffer, lock, replay string) {
	if s.Trouble != nil {
		out.WriteString("### " + render.EscapeMarkdown(s.What()) + "\n\n" + Fenced(TroubleText(lock, s.Scenario, s.Trouble)+"\n\n"+replay))
		return
	}
	_ = render.Markdown(out, s.Trace, replay, 3) // a buffer takes everything
	out.WriteString("\n")
}

// Fenced is text in a block of code, which it cannot end.
func Fenced(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(wording.Printable(strings.ReplaceAll(line, "\t", "    ")), "```", "` ` `")
	}
	return "```text\n" + strings.Join(lines, "\n") + "\n```\n\n"
}
