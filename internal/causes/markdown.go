package causes

import (
	"bytes"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// Markdown writes a story as a section of a page: the explanation with a sequence diagram, or how the run ended. Replay is
// the command that shows it again.
func (s *Story) Markdown(out *bytes.Buffer, lock, replay string) {
	if s.Trouble != nil {
		out.WriteString("### " + wording.Markdown(s.What()) + "\n\n" + wording.Fenced("text", TroubleText(lock, s.Scenario, s.Trouble)+"\n\n"+replay) + "\n")
		return
	}
	_ = render.Markdown(out, s.Trace, replay, 3) // a buffer takes everything
	out.WriteString("\n")
}
