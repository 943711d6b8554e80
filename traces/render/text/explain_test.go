package text

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

const (
	us = time.Microsecond
	ms = time.Millisecond
)

func TestExplainSamples(t *testing.T) {
	for _, sample := range sampletraces.Samples {
		t.Run(sample.Name, func(t *testing.T) {
			var plain, colored bytes.Buffer
			if err := Explain(&plain, sample.Make(), Style{}); err != nil {
				t.Fatal(err)
			}
			golden.File(t, "../testdata/"+sample.Name+".txt", plain.String())
			if err := Explain(&colored, sample.Make(), Style{Color: true}); err != nil {
				t.Fatal(err)
			}
			if stripped := stripColors(colored.String()); stripped != plain.String() {
				t.Errorf("colour changes the text:\n%s", stripped)
			}
		})
	}
}

// stripColors removes the escape sequences that Explain uses.
func stripColors(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, s, _ = strings.Cut(after, "m")
	}
}

// TestExplainWithoutSearch: a run that no search has made was found by none.
func TestExplainWithoutSearch(t *testing.T) {
	made := sampletraces.Samples[0].Make()
	made.Schedule = -1
	var text bytes.Buffer
	if err := Explain(&text, made, Style{}); err != nil {
		t.Fatal(err)
	}
	if s := text.String(); strings.Contains(s, "found by") || !strings.Contains(s, "recorded ") {
		t.Error(s)
	}
}

// TestNarrow: lines are broken where the style says, and steps in the middle are left out.
func TestNarrow(t *testing.T) {
	whole := sampletraces.Attributed()
	all := len(story.Steps(whole))
	for _, width := range []int{40, 60, 100} {
		var b strings.Builder
		if err := Explain(&b, whole, Style{Width: width, Story: true}); err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(b.String(), "\n") // the title is one line
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("width %d: a line of %d characters: %s", width, n, line)
			}
		}
		if strings.Contains(b.String(), "What was judged") || strings.Contains(b.String(), "recorded    ") {
			t.Errorf("a story has verdicts:\n%s", &b)
		}
	}
	for most := 1; most < all; most++ {
		steps, others := story.Steps(whole), 0
		for i, kept := range fewer(steps, most) {
			if (steps[i].Violating || steps[i].Decides) && !kept {
				t.Errorf("of %d steps, %s %s is left out", most, steps[i].Actor, steps[i].Text)
			} else if kept && !steps[i].Decides {
				others++
			}
		}
		if others > most {
			t.Errorf("of %d steps there are %d that decide nothing", most, others)
		}
	}
	if all <= fewestSteps {
		t.Fatalf("%d steps are too few to leave one out", all)
	}
	long := lines(t, whole, 0)
	least := lines(t, whole, 1)
	if least >= long {
		t.Fatalf("%d lines, and in as few as can be %d", long, least)
	}
	for room := least; room <= long; room++ {
		if n := lines(t, whole, room); n > room || room == long && n != long {
			t.Errorf("%d lines, want at most %d of %d", n, room, long)
		}
	}
}

// lines is how many lines an explanation has in so much room. Steps are left out only for lack of
// it, and are then counted.
func lines(t *testing.T, of *traces.Trace, room int) int {
	t.Helper()
	var b strings.Builder
	if err := Explain(&b, of, Style{Story: true, Lines: room}); err != nil {
		t.Fatal(err)
	}
	if left := strings.Contains(b.String(), "left out\n"); left != (room == 1) && room < 2 {
		t.Errorf("room for %d lines: steps left out: %v\n%s", room, left, &b)
	}
	return strings.Count(b.String(), "\n")
}
