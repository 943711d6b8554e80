package simrun

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// TestLeaksLast: a lock that starves its clients and leaves goroutines behind is told with what
// it does to its clients first: a leak hides no finding.
func TestLeaksLast(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, flags := range [][]string{nil, {"--json"}} {
		dir := t.TempDir()
		args := append([]string{"run", "contention", "--lock", "test-leaks-unwoken", "--runs", "4", "--out", dir}, flags...)
		code, out, errs := simrun(t, args...)
		finding, leak := "progress is violated: test-leaks-unwoken", "CRASHED in schedule 0: the run left goroutines behind: some goroutines had not ended 5m0s of virtual time after the run"
		if flags != nil {
			finding, leak = `"property":"progress"`, `"leaked":true`
		}
		first, last := strings.Index(out, finding), strings.Index(out, leak)
		if code != exitViolation || first < 0 || last < first {
			t.Errorf("%q: exit code %d, the finding at %d, the leak at %d\n%s%s", args, code, first, last, out, errs)
		}
		code, page, errs := simrun(t, "report", dir, "-o", "-")
		first, last = strings.Index(page, "fault</b>"), strings.Index(page, "a run left goroutines behind")
		if code != exitNone || first < 0 || last < first {
			t.Errorf("the page: exit code %d, the finding at %d, the leak at %d\n%s", code, first, last, errs)
		}
	}
}
