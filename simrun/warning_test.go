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
