package simrun

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// TestSecondStore: simrun searches, replays, shrinks, tells and draws locks of a store
// that is no Redis like any others, and in that store's words.
func TestSecondStore(t *testing.T) {
	slowtest.SkipIfShort(t)
	dir := t.TempDir()
	trace := filepath.Join(dir, "gc-pause_cloakroom-blind_owner-only-release.json")
	page := filepath.Join(dir, "page.html")
	for _, test := range []struct {
		args []string
		code int
		says []string
	}{
		{[]string{"run", "gc-pause", "--lock", "cloakroom-blind", "--runs", "60", "--out", dir}, exitViolation, []string{"VIOLATED owner-only-release", "owner-only-release is violated", "  besides truthful-release: ", "  also    mutual-exclusion, no-lost-update, lease-honesty", "c1's ticket", "overrun is violated"}},
		{[]string{"replay", trace}, exitViolation, []string{"owner-only-release"}},
		{[]string{"shrink", trace, "--out", filepath.Join(dir, "small.json")}, exitNone, []string{"desk"}},
		{[]string{"explain", trace}, exitNone, []string{"removes c", "'s ticket", "desk"}},
		{[]string{"view", trace, "-o", page}, exitNone, nil},
		{[]string{"check", "contention", "--lock", "cloakroom", "--bound", "1"}, exitNone, []string{"exhausted"}},
		{[]string{"run", "failover-loss", "--lock", "cloakroom"}, exitUsage, []string{"does not apply to cloakroom: there is nothing to promote in the cloakroom; it applies to ", " more"}},
		{[]string{"run", "migration", "--lock", "setpx"}, exitUsage, []string{"the keys of Redis do not move from one server to another; it applies to locks over redis with topology=cluster, which -p sets"}},
		{[]string{"run", "gc-pause", "--lock", "cloakroom", "--param", "replicas=1"}, exitUsage, []string{`there is no parameter "replicas"; there are ttl, lease, pause, rtt, clients, rounds, threads`}},
		{[]string{"list", "-v"}, exitNone, []string{"parameters of locks in Redis", "parameters of locks in the cloakroom"}},
	} {
		c := exec.Command(os.Args[0], test.args...)
		c.Env = append(os.Environ(), mark+"=1", storesMark+"=1")
		out, _ := c.CombinedOutput()
		if code := c.ProcessState.ExitCode(); code != test.code {
			t.Fatalf("%s: exit code %d, want %d\n%s", test.args, code, test.code, out)
		}
		for _, want := range test.says {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: does not say %q:\n%s", test.args, want, out)
			}
		}
		if word := regexp.MustCompile(`(?i)\b(redis|primary|replica|key)\b`).FindString(string(out)); word != "" && test.args[0] != "list" && test.code != exitUsage {
			t.Errorf("%s: %q is a word of another store:\n%s", test.args, word, out)
		}
	}
	if html, err := os.ReadFile(page); err != nil || !strings.Contains(string(html), "The cloakroom: what is true") {
		t.Errorf("the page has no lane of the store: %v", err)
	}
}
