package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// TestTrouble: the page of a run that did not finish has no picture and no events, for the trace
// has none. It has the reason, the stack and the command; so has the explanation.
func TestTrouble(t *testing.T) {
	trace := sampletraces.Samples[0].Make()
	trace.Trouble = &traces.Trouble{Kind: "crashed", Reason: "the worker died: panic: boom", Stack: "panic: boom\n\ngoroutine 7 [running]:\nexample.com/locks.<evil>\x1b[2J(...)\n\tlocks.go:7\n"}
	trace.Events, trace.Verdicts, trace.Attribution, trace.History = nil, nil, nil, model.History{}
	page := viewed(t, trace)
	for _, want := range []string{"the worker died: panic: boom. " + story.TroubleText, "simrun replay some.trace", "goroutine 7 [running]:\n", "example.com/locks.&lt;evil&gt;", "\n    locks.go:7"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, bad := range []string{"<script", `id="lens"`, "violation</button>", "the whole run", "What happened", "What was judged", "All events", "\x1b"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	var out bytes.Buffer
	if err := Explain(&out, trace, Style{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "    goroutine 7 [running]:\n") || strings.Contains(out.String(), "\x1b") {
		t.Errorf("the explanation lacks the stack\n%s", &out)
	}
	trace.Trouble.Stack = ""
	if page := viewed(t, trace); strings.Contains(page, "What it said") {
		t.Error("the page has an empty stack")
	}
}
