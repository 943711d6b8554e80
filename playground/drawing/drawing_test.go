package drawing_test

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/playground/drawing"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestDraw: a trace has its story, and a page with the command; what is no trace is refused.
func TestDraw(t *testing.T) {
	var file strings.Builder
	if err := traces.Encode(&file, sampletraces.Samples[0].Make()); err != nil {
		t.Fatal(err)
	}
	d, err := drawing.Draw(drawing.Request{Trace: file.String(), Command: "simrun run some-scenario --lock some-lock"})
	if err != nil || d.Type != "drawn" || !strings.Contains(d.Story, "What happened") || !strings.HasPrefix(d.Page, "<!doctype html>") ||
		!strings.Contains(d.Page, "simrun run some-scenario --lock some-lock") {
		t.Errorf("drawn %v, %+v", err, d)
	}
	if _, err := drawing.Draw(drawing.Request{Trace: "{}"}); err == nil {
		t.Error("a page of no trace was made")
	}
}
