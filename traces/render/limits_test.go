package render

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

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
		if got := story.LimitText(made); test.limit && got != test.says {
			t.Errorf("%s, want %s", got, test.says)
		}
	}
}
