package locktest_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
)

const byol = "../docs/bring-your-own-lock.md"

// printed is the example's output as a page shows it, and code the example. The page is what is around
// the output.
type printed struct{ page, code, output string }

const outputEnds = "\n```\n"

func readPrinted(t *testing.T, byol, test string) (p printed) {
	t.Helper()
	outputBegins := "```\n--- FAIL: " + test
	text, err := os.ReadFile(byol)
	if err != nil {
		t.Fatal(err)
	}
	p.page = string(text)
	_, rest, ok := strings.Cut(p.page, "```go\n")
	p.code, _, _ = strings.Cut(rest, outputEnds)
	before, _, shown := strings.Cut(p.page, outputBegins)
	p.output, _, _ = strings.Cut(strings.TrimPrefix(p.page[len(before):], "```\n"), outputEnds)
	if !ok || !shown {
		t.Fatalf("%s has no example, or does not show what it prints", byol)
	}
	return p
}

// took is how long a test took, which is no part of what is compared.
var took = regexp.MustCompile(`\(\d+\.\d+s\)|\t\d+\.\d+s`)

// spaces at the end of a line are lost wherever text is edited.
var spaces = regexp.MustCompile(`(?m) +$`)

// TestPrintedExampleIsShort: who tries the example reads what is wrong in the first five lines and
// how to see it again in the next, then the steps, and all of it on a screen or two. What the
// scenarios have come to stands behind it.
func TestPrintedExampleIsShort(t *testing.T) {
	lines := strings.Split(readPrinted(t, byol, "TestMyLock").output, "\n")
	if len(lines) >= 65 {
		t.Errorf("%d lines", len(lines))
	}
	for i, part := range []string{
		"--- FAIL: TestMyLock (", ": a request of another removed or overwrote the live lock: in ",
		"owner-only-release is violated: TestMyLock under ", "The rule: ", "removed the lock of c", "replay  go test -run '^TestMyLock$/", "confirm go run github.com/lockpick-dev/lockpick/cmd/simrun confirm example.com/mylock/testdata/simrun/TestMyLock/", "What happened", "  0.",
	} {
		if !strings.Contains(lines[i], part) {
			t.Errorf("line %d is %q, without %q", i+1, lines[i], part)
		}
	}
	subtests := false
	for i, l := range lines[1:] {
		here := strings.HasPrefix(l, "    --- FAIL: TestMyLock/")
		if subtests = subtests || here; subtests && !here && strings.HasPrefix(l, "    ") && !strings.HasSuffix(l, " (see above)") {
			t.Errorf("line %d comes after subtests: %q", i+2, l)
		}
	}
	if !subtests {
		t.Error("no subtest fails")
	}
}

// TestPrintedExample: docs/bring-your-own-lock.md and docs/bring-your-own-program.md show what their
// examples print, word for word but for the times; and one case of each cause is kept. -update writes
// them anew.
func TestPrintedExample(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module and searches every scenario")
	}
	for _, p := range []struct{ page, test, module, file string }{
		{byol, "TestMyLock", "example.com/mylock", "mylock_test.go"},
		{"../docs/bring-your-own-program.md", "TestReminder", "example.com/reminders", "reminders_test.go"},
	} {
		t.Run(p.test, func(t *testing.T) { printsThat(t, p.page, p.test, p.module, p.file) })
	}
}

// printsThat runs the example of a page in a module, in the file that the page names.
func printsThat(t *testing.T, page, test, module, file string) {
	p := readPrinted(t, page, test)
	dir := t.TempDir()
	u := &user{dir: dir}
	if err := u.module(module); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, file), []byte(p.code), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-short", "-run", test)
	cmd.Dir, cmd.Env = dir, u.env()
	out, err := cmd.Output()
	if err == nil {
		t.Fatalf("the example passes\n%s", out)
	}
	got := spaces.ReplaceAllString(string(bytes.TrimSpace(out)), "")
	if took.ReplaceAllString(got, "") != took.ReplaceAllString(p.output, "") {
		if !*golden.Update {
			t.Fatalf("it prints something else than %s shows (-update if this is meant):\n%s", page, got)
		}
		if err := os.WriteFile(page, []byte(strings.Replace(p.page, p.output, got, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := filepath.Glob(filepath.Join(dir, "testdata/simrun", test, "*.json"))
	if told := 1 + strings.Count(got, "\n          trace   "); err != nil || len(kept) != told {
		t.Errorf("kept %v for %d causes, %v", kept, told, err)
	}
}
