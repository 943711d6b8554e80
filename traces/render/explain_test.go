package render

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces"
)

const (
	us = time.Microsecond
	ms = time.Millisecond
)

// sound says why a trace cannot be written and read back; nil if it can.
func sound(t *traces.Trace) error {
	var file bytes.Buffer
	if err := traces.Encode(&file, t); err != nil {
		return err
	}
	_, err := traces.Decode(&file)
	return err
}

func TestExplainSamples(t *testing.T) {
	for _, sample := range sampletraces.Samples {
		t.Run(sample.Name, func(t *testing.T) {
			var plain, colored bytes.Buffer
			if err := Explain(&plain, sample.Make(), Style{}); err != nil {
				t.Fatal(err)
			}
			golden.File(t, "testdata/"+sample.Name+".txt", plain.String())
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

// TestLimitText: a limit is told with what caused it, in text and on the page; a
// fault is not told as a limit, and a trace from before there were causes is.
func TestLimitText(t *testing.T) {
	for _, test := range []struct {
		limit       bool
		cause, says string
	}{
		{true, "store-forgot", "A limit of leases, not a fault of the lock: the store had granted the lock and forgot it, in a failover, a partition or a restart."},
		{true, "eclipse", "A limit of leases, not a fault of the lock (cause: eclipse)."},
		{true, "", "A limit of leases, not a fault of the lock."},
		{false, "never-granted", ""},
	} {
		made := sampletraces.GCPause()
		v := made.Verdict()
		made.Limit, v.Limit, v.Cause = test.limit, test.limit, test.cause
		var text, page bytes.Buffer
		if err := errors.Join(Explain(&text, made, Style{}), View(&page, made, "")); err != nil {
			t.Fatal(err)
		}
		for _, shown := range []string{text.String(), strings.ReplaceAll(page.String(), "&#39;", "'")} {
			words := strings.Join(strings.Fields(shown), " ")
			if strings.Contains(words, "limit of leases") != test.limit || !strings.Contains(words, test.says) {
				t.Errorf("%+v:\n%s", test, shown[:min(len(shown), 3000)])
			}
			if !strings.Contains(words, "violated (limit)") { // the other verdicts
				t.Errorf("%+v: what else is a limit is not said to be", test)
			}
		}
		if got := limitText(made); test.limit && got != test.says {
			t.Errorf("%s, want %s", got, test.says)
		}
	}
}

// TestNarrow: lines are broken where the style says, and steps in the middle are left out.
func TestNarrow(t *testing.T) {
	whole := sampletraces.Attributed()
	all := len(Steps(whole))
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
		steps, others := Steps(whole), 0
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
