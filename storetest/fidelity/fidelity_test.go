package fidelity_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/storetest/fidelity"
)

func TestDifference(t *testing.T) {
	continues := func(line string) bool { return strings.HasPrefix(line, " ") }
	for _, c := range []struct{ simulated, real, want string }{
		{"a| 1|b", "a| 1|b", ""},
		{"", "", ""},
		{"a| 1|b| 2| 3", "a| 1|b| 2| 4", "b| 2|simulated:  3|real:       4"},
		{"a| 1|c", "a| 1|b", "|simulated: c|real:      b"},
		{"a| 1", "a| 1|b", "|simulated: (the end)|real:      b"},
		{"a| 1| 2", "a| 1", "a| 1|simulated:  2|real:      (the end)"},
		{"a", "", "|simulated: a|real:      (the end)"},
	} {
		lines := func(s string) []string {
			return strings.FieldsFunc(s, func(r rune) bool { return r == '|' })
		}
		got := fidelity.Difference(lines(c.simulated), lines(c.real), continues)
		if want := strings.ReplaceAll(c.want, "|", "\n"); got != want {
			t.Errorf("%q and %q differ in\n%s\nwant\n%s", c.simulated, c.real, got, want)
		}
	}
}

// TestCheck counts the scripts of a comparison that passes.
func TestCheck(t *testing.T) {
	t.Setenv("LOCKPICK_LONG", "")
	want := 200
	if testing.Short() {
		want = 40
	}
	got := 0
	fidelity.Check(t, func(*rapid.T) string {
		got++
		return ""
	})
	if got != want {
		t.Errorf("%d scripts were compared, want %d", got, want)
	}
}

// TestRepeat: a script that differs a few times passes, and one that always differs does not.
func TestRepeat(t *testing.T) {
	tries := 0
	for _, c := range []struct {
		differs int
		want    string
	}{{0, ""}, {2, ""}, {1000, "differs"}} {
		tries = 0
		got := fidelity.Repeat(func() string {
			tries++
			if tries > c.differs {
				return ""
			}
			return "differs"
		})
		if got != c.want {
			t.Errorf("one that differs %d times: %q, want %q", c.differs, got, c.want)
		}
	}
	if tries > 10 {
		t.Errorf("it was compared %d times", tries)
	}
}

func TestInWorld(t *testing.T) {
	play := func(fails bool) []string {
		return fidelity.InWorld(func(w *sim.World, lines *[]string) {
			p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() {
				p.Step("sleep", time.Second)
				*lines = append(*lines, "slept")
				if fails {
					panic("no more")
				}
			})
		})
	}
	if got := play(false); len(got) != 1 || got[0] != "slept" {
		t.Errorf("the lines are %q", got)
	}
	if got := play(true); len(got) != 2 || got[0] != "slept" || !strings.Contains(got[1], "no more") {
		t.Errorf("the lines of a failed run are %q", got)
	}
}
