package simrun

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// TestNotSearched: what no schedule can show of a lock is a finding of its own kind: before the
// stories and in the first lines of the result, in JSON, in the page and for GitHub. Nothing is
// said of a lock that there is nothing to say of.
func TestNotSearched(t *testing.T) {
	const what = "two processes that see the same time: what the lock writes ("
	for _, test := range []struct {
		lock, flag string
		says       []string // in this order
	}{
		{"test-token-nanoseconds", "--no-shrink", []string{"NOT SEARCHED " + what, "\nresult none-found", "\n  not searched: two processes that see the same time\n"}},
		{"test-token-seeded", "--json", []string{`{"type":"not-searched","scenario":"contention","lock":"test-token-seeded","text":"` + what, `"type":"summary"`, `"not_searched":["` + what}},
		{"test-token-random", "--no-shrink", nil},
		{"test-token-random", "--json", nil},
	} {
		dir := t.TempDir()
		_, out, errs := simrun(t, "run", "contention", "--lock", test.lock, "--runs", "4", "--out", dir, test.flag)
		_, page, _ := simrun(t, "report", dir, "-o", "-")
		in := strings.Count(page, "not searched: two processes that see the same time</") == 2 && strings.Contains(page, `<li><b class="limit">not searched</b> `+test.lock+": "+what)
		if in != (len(test.says) > 0) {
			t.Errorf("%s: in the page's title, its verdict and its findings: %v\n%.3000s", test.lock, in, page)
		}
		if len(test.says) == 0 && strings.Contains(strings.ToLower(out), "searched") {
			t.Errorf("%s %s: it says\n%s", test.lock, test.flag, out)
		}
		at := 0
		for _, want := range test.says {
			next := strings.Index(out[at:], want)
			if next < 0 {
				t.Fatalf("%s %s: no %q behind the others in\n%s%s", test.lock, test.flag, want, out, errs)
			}
			at += next
		}
	}
}

// TestWarningOfSize: before a search of very long runs it is said how long they are, with
// an estimate; parameters that make somewhat longer runs are no news.
func TestWarningOfSize(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"-p", "clients=16", "-p", "rounds=50", "-p", "events=60000", "--stable"}, "WARNING these parameters make very long runs: a calm one has about 60,000 events. Runs that take too long are given up as inconclusive, and traces leave out events. Search with fewer clients, threads or rounds (--param)\n"},
		{[]string{"-p", "clients=16", "-p", "rounds=50", "-p", "events=60000", "--jobs", "1"}, " of a worker; the search runs 1 schedule, in about "},
		{[]string{"-p", "clients=4"}, ""},
		{[]string{"-p", "clients=16", "-p", "rounds=50", "-p", "events=1000"}, ""},
	} {
		args := append([]string{"run", "gc-pause", "--runs", "1", "--no-shrink", "--out", t.TempDir()}, test.args...)
		_, out, errs := simrun(t, args...)
		if !strings.Contains(out, test.says) || strings.Contains(out, "WARNING") != (test.says != "") || strings.Index(out, "WARNING") > strings.Index(out, "result ") {
			t.Errorf("%q: want %q in\n%s%s", args, test.says, out, errs)
		}
	}
}
