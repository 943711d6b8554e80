package simrun

import (
	"strings"
	"testing"
)

// TestWarning: a search says what no schedule can show of a lock, as text and as
// JSON, and says nothing of a lock that there is nothing to say of.
func TestWarning(t *testing.T) {
	for _, test := range []struct {
		lock, flag, says string
	}{
		{"test-token-nanoseconds", "--no-shrink", "WARNING what the lock writes (9466848"},
		{"test-token-seeded", "--json", `{"type":"warning","text":"what the lock writes (`},
		{"test-token-random", "--no-shrink", ""},
		{"test-token-random", "--json", ""},
	} {
		_, out, errs := simrun(t, "run", "contention", "--lock", test.lock, "--runs", "4", "--out", t.TempDir(), test.flag)
		if !strings.Contains(out, test.says) || strings.Contains(strings.ToLower(out), "warning") != (test.says != "") {
			t.Errorf("%s %s: want %q in\n%s%s", test.lock, test.flag, test.says, out, errs)
		}
	}
}

// TestWarningOfSize: before a search of very long runs it is said how long they are, with
// an estimate; parameters that make somewhat longer runs are no news.
func TestWarningOfSize(t *testing.T) {
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
