package text

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestExceptedRemedy: what does not apply is neither helpful nor in vain.
func TestExceptedRemedy(t *testing.T) {
	trace := sampletraces.Attributed()
	trace.Attribution.Remedies = []traces.Remedy{{Text: "an odd lock", Bound: -1, Except: "It has no end."}}
	var text bytes.Buffer
	if err := Explain(&text, trace, Style{}); err != nil {
		t.Fatal(err)
	}
	if want := "– an odd lock  does not apply: It has no end\n"; !strings.Contains(text.String(), want) {
		t.Errorf("it does not say %q:\n%s", want, &text)
	}
	trace.Attribution.Remedies[0].Schedules = 3
	if err := sampletraces.Sound(trace); err == nil || !strings.Contains(err.Error(), "has not been searched") {
		t.Errorf("a remedy that does not apply was searched: %v", err)
	}
}
