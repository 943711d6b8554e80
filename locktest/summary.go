package locktest

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/traces"
)

// fail fails a scenario. The summary has the counterexample of each cause.
func (x *session) fail(o *outcome, list []*causes.Failure) {
	fresh := x.findings.Add(list)
	if len(list) == 0 {
		return
	}
	o.failed = true
	switch {
	case testing.Verbose():
		o.failures = append(o.failures, list...)
	case len(fresh) > 0:
		o.errorf("%s (see above)", strings.Join(fresh, "; "))
	}
}

// failureText returns the full text of a failure.
func (x *session) failureText(f *causes.Failure) string {
	path := f.Path
	if f.Trouble != nil {
		return x.troubleText(f.Scenario, f.Trouble, f.Note, path)
	}
	if path == "" {
		path = testbinary.OutPath(x.call, f.Trace)
	}
	return x.findingText(f.Trace, f.Note, path)
}

// summarize reports the findings of a call of Check in all scenarios: one counterexample per cause, the simplest first,
// then limits. It keeps one case of each cause.
func (x *session) summarize(t *testing.T) {
	t.Helper()
	stories := x.findings.Stories()
	if len(stories) == 0 {
		lines := x.findings.Remarks()
		if testing.Verbose() && len(lines)+len(x.findings.NotSearched) > 0 {
			t.Log(strings.Join(append([]string{x.findings.Headline(nil)}, lines...), "\n"))
		}
		return
	}
	for _, s := range stories {
		if s.Path == "" && !s.Unsteady {
			s.Path = x.kept(t, s.Trace)
		}
	}
	first := stories[0]
	t.Error(x.findings.Summary(x.lock.ID, stories, x.command(first.Scenario, first.Path, false), x.confirmCommand(first.Trace, first.Path)))
}

// kept keeps a case and returns its path, empty if that fails.
func (x *session) kept(t *testing.T, tr *traces.Trace) string {
	t.Helper()
	if tr == nil {
		return ""
	}
	path, err := testbinary.Keep(x.call, tr)
	if err != nil {
		t.Logf("the case cannot be kept: %v", err)
		return ""
	}
	return path
}
