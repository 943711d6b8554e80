package simrun

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestLive: one line says how far the search is, also while a finding is shrunk, with the budget
// of that.
func TestLive(t *testing.T) {
	var out bytes.Buffer
	l := &live{w: &out, on: true, started: time.Now(), before: -1}
	r := recorded.NewReducer(explore.Worker{}, cell.Registry{}, 1, l.meanwhile)
	l.searched("12 of 2,000 schedules", ", 80/s, 25 s left", "9 classes, 1 finding")
	l.shown = time.Time{}
	r.OnNeeds("fencing", 7, 1200)
	lines := strings.Split(regexp.MustCompile("\x1b\\[[?0-9]*[a-zA-Z]").ReplaceAllString(out.String(), ""), "\r")
	want := []string{"", "12 of 2,000 schedules, 80/s, 25 s left, 9 classes, 1 finding", "12 of 2,000 schedules; what fencing needs, and remedies: 7 of at most 1,200 runs"}
	if strings.Join(lines, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", lines, want)
	}
}

// TestTerminal runs a search on a terminal of script(1): a line says how far it is, also while
// it shrinks what it has found, and text is as wide as the terminal.
func TestTerminal(t *testing.T) {
	slowtest.SkipIfShort(t)
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("there is no script(1): ", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, script, "-qec", "stty cols 66; "+os.Args[0]+" run gc-pause --runs 200 --jobs 1 --out "+t.TempDir(), "/dev/null")
	run.Env = append(os.Environ(), mark+"=1", "TERM=xterm", "NO_COLOR=1")
	raw, _ := run.CombinedOutput() // it ends with the code of the search
	text := regexp.MustCompile("\x1b\\[[?0-9]*[a-zA-Z]").ReplaceAllString(string(raw), "")
	for _, want := range []string{" of 200 schedules, ", " of 200 schedules; ", " of at most ", "What happened"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q\n%s", want, text)
		}
	}
	_, story, _ := strings.Cut(text, "What happened")
	story, _, _ = strings.Cut(story, "  trace ")
	for _, line := range strings.Split(story, "\r\n") {
		if n := len([]rune(line)); n > 66 {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
}
