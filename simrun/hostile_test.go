package simrun

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/lockpick-dev/lockpick/traces"
)

// TestHostileTrace: what a trace says reaches a terminal and a runner as text alone, and names in printed commands are words.
func TestHostileTrace(t *testing.T) {
	const hostile = "\x1b[2J\x07\r\n::error file=x::y ::set-output name=x::y ##[error]z \u202e $(touch x) `touch x`"
	old, err := traces.ReadFile("../traces/corpus/gc-pause_setpx_no-lost-update.json")
	if err != nil {
		t.Fatal(err)
	}
	for i := range old.Verdicts {
		old.Verdicts[i].Sentence += hostile
	}
	for i := range old.History.Operations {
		old.History.Operations[i].Err += hostile
	}
	for i := range old.Events {
		old.Events[i].Detail += hostile
	}
	dir := t.TempDir()
	kept, path := filepath.Join(dir, "kept.json"), filepath.Join(dir, "-$(touch x)`touch x`\x1b[31m.json")
	for _, path := range []string{kept, path} {
		if err := traces.WriteFile(path, old); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range [][]string{
		{"explain", path}, {"diff", path, kept}, {"view", path, "-o", path + ".html"}, {"judge", path},
		{"report", dir}, {"explain", path + "\x1b[2J\n::error::x"}, {"run", hostile}, {"run", "gc-pause", "--lock", hostile}, {"run", "gc-pause", "-p", hostile},
	} {
		code, out, errs := simrun(t, command...)
		text := out + errs
		if code == exitInternal || text == "" {
			t.Errorf("%s: exit code %d\n%s", command[0], code, text)
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }) {
			t.Errorf("%s prints control characters: %q", command[0], text)
		}
		for line := range strings.Lines(text) {
			if at := strings.TrimSpace(line); strings.HasPrefix(at, "::") || strings.Contains(at, "##[") {
				t.Errorf("%s prints a command to the runner: %q", command[0], line)
			}
			if _, replay, found := strings.Cut(line, " replay "); found && strings.Contains(replay, "$(touch") {
				t.Errorf("%s prints a command that runs another: %q", command[0], line)
			}
		}
	}
}
