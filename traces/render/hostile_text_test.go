package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/sim"
)

// What comes from a trace is shown as text and never interpreted.
func TestViewHostileText(t *testing.T) {
	for _, sample := range sampletraces.Samples {
		trace := sample.Make()
		sampletraces.MakeHostile(trace)
		trace.Events = append(trace.Events, sim.Event{Seq: trace.LastSeq(), At: trace.EndAt(), Kind: sim.EventKind(sampletraces.Hostile), Actor: sampletraces.Hostile})
		var out bytes.Buffer
		if err := View(&out, trace, "replay "+sampletraces.Hostile); err != nil {
			t.Fatal(err)
		}
		page := out.String()
		for _, tag := range []string{"<img", "<svg/", "\x00", "\u202e", "]]>"} {
			if strings.Contains(page, tag) {
				t.Errorf("%s: the page contains %q", sample.Name, tag)
			}
		}
		if n := strings.Count(page, "</script>"); n != 2 {
			t.Errorf("%s: %d scripts end", sample.Name, n)
		}
		var text bytes.Buffer
		if err := Explain(&text, trace, Style{}); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(text.String(), "\x00\x1b\u202e") {
			t.Errorf("%s: the explanation contains control characters", sample.Name)
		}
	}
}
