package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// None found is none found: nothing may be told that says more.
func TestAttributionPromisesNothing(t *testing.T) {
	trace := sampletraces.Attributed()
	var text bytes.Buffer
	if err := Explain(&text, trace, Style{}); err != nil {
		t.Fatal(err)
	}
	for _, told := range []string{story.AttributionSentence(trace.Attribution, nil), text.String(), sampletraces.Between(t, viewed(t, trace), `<div class="why">`, "</div>")} {
		for _, word := range []string{"fixed", "verified", "proven", "safe", "prevents", "impossible"} {
			if strings.Contains(told, word) {
				t.Errorf("%q is promised in\n%s", word, told)
			}
		}
		if !strings.Contains(strings.Join(strings.Fields(told), " "), "not violated in 512 schedules, among them all with at most 1 deviation") {
			t.Errorf("what was run is not told in\n%s", told)
		}
	}
}
