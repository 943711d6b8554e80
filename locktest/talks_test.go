package locktest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// TestTalks: with -v a story has what the lock has printed, by whatever way, with its time and client, and the line of its code behind
// each step; so has the trace. Without it has neither.
func TestTalks(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t)
	dir := t.TempDir()
	out, passed := u.test(t, "^TestTalks$", "-test.v", "-simrun.seed=1", "-simrun.runs=60", "-simrun.out="+dir)
	if passed {
		t.Fatalf("it passed\n%s", out)
	}
	told := strings.Join(strings.Fields(out), " ")
	for _, line := range []string{
		`0\.0\d+s c1 prints: \S+ asks by fmt \\x1b\[2J</script>`, `c[12] prints: [0-9/]+ [0-9:]+ INFO asks by slog`, `c[12] prints: locks\.go:\d+: has it, by T`,
		`c[12] prints: has it, by a kept file`, `c[12] prints: [0-9/]+ [0-9:]+ a millisecond later`, `, by locks/locks\.go:\d+`,
	} {
		if !regexp.MustCompile(line).MatchString(told) {
			t.Errorf("it does not tell %s\n%s", line, out)
		}
	}
	if strings.Contains(out, "\x1b[2J") {
		t.Error("the terminal is told to clear its screen")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.html")) // the pattern is well-formed
	if len(files) == 0 {
		t.Fatal("there is no page")
	}
	page, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if text := string(page); !strings.Contains(text, "What the code printed") || !strings.Contains(text, "a millisecond later") || strings.Contains(text, "2J</script>") || strings.Contains(text, "\x1b") {
		t.Errorf("%s has not what was printed, or as it was", files[0])
	}
	quiet, _ := u.test(t, "^TestTalks$", "-simrun.seed=1", "-simrun.runs=60")
	if strings.Contains(quiet, "prints: ") || strings.Contains(quiet, ", by locks/locks.go") {
		t.Errorf("without -v it tells\n%s", quiet)
	}
}
