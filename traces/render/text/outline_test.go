package text

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces/render/internal/term"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// TestBrief: it is what Explain says until the property is violated, in the same
// words, with a line for the sentence and for each step.
func TestBrief(t *testing.T) {
	long := false // some line is
	for _, sample := range sampletraces.Samples {
		trace := sample.Make()
		var text bytes.Buffer
		if err := Explain(&text, trace, Style{Brief: true}); err != nil {
			t.Fatal(err)
		}
		wrong, told := Brief(trace)
		lines, outline := slices.Concat(wrong, told), story.Outline(trace)
		whole, said := strings.Fields(text.String()), strings.Fields(strings.Join(lines, "\n"))
		if len(said) > len(whole) || !slices.Equal(said, whole[:len(said)]) {
			t.Errorf("%s: Explain says\n%s\nand in brief it is\n%s", sample.Name, text.String(), strings.Join(lines, "\n"))
		}
		from, steps := slices.Index(lines, "What happened"), story.UntilViolated(story.Steps(trace))
		if from != len(wrong) || len(lines)-from-1 != len(steps) {
			t.Errorf("%s: %d steps are shown in\n%s", sample.Name, len(steps), strings.Join(lines, "\n"))
		}
		violated := trace.Verdict() != nil
		if last := lines[len(lines)-1]; strings.HasPrefix(last, "✗") != violated {
			t.Errorf("%s: it ends with %q", sample.Name, last)
		}
		if violated && (len(outline) != 2 || outline[0] != lines[0] || outline[1] != lines[from-1]) {
			t.Errorf("%s: in outline it is %q", sample.Name, outline)
		}
		long = long || slices.ContainsFunc(lines, func(l string) bool { return utf8.RuneCountInString(l) > term.TextWidth })
	}
	if !long {
		t.Error("no sample has a line that Explain breaks")
	}
}
