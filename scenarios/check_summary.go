package scenarios

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/scenarios/internal/testbinary"
)

// everything reports whether all findings are shown, and not only one per cause.
func everything() bool {
	return testing.Verbose() || testbinary.Out() != "" || testbinary.Artifacts()
}

// fail fails the subtest of one scenario. The counterexample of each cause follows after
// all scenarios.
func (a *attack) fail(t *testing.T, list []*causes.Failure) {
	t.Helper()
	fresh := a.findings.Add(list)
	switch {
	case len(list) == 0:
	case testing.Verbose():
		for _, f := range list {
			t.Error(a.failureText(f))
		}
	case len(fresh) > 0:
		t.Errorf("%s (see below)", strings.Join(fresh, "; "))
	default:
		t.Fail() // the summary names the scenario
	}
}

// failureText is the full text of a failure.
func (a *attack) failureText(f *causes.Failure) string {
	path := f.Path
	if f.Trouble != nil {
		return a.troubleText(f.Scenario, f.Trouble, f.Note, path)
	}
	if path == "" {
		path = testbinary.OutPath(a.call, f.Trace)
	}
	return a.findingText(f.Trace, f.Note, path)
}

// summarize reports what a call of Check has found in all scenarios: one counterexample
// per cause, the simplest first, then limits, then the command that replays the first. It
// keeps one case of each cause.
func (a *attack) summarize(t *testing.T) {
	t.Helper()
	stories := a.findings.Stories()
	if len(stories) == 0 {
		if lines := a.findings.Remarks(); testing.Verbose() && len(lines) > 0 {
			t.Log("no fault was found\n" + strings.Join(lines, "\n"))
		}
		return
	}
	for _, s := range stories {
		if s.Path == "" && !s.Unsteady {
			s.Path = a.kept(t, s.Trace)
		}
	}
	t.Error(a.findings.Summary(a.lock.ID, stories, a.command(stories[0].Scenario, stories[0].Path, false)))
}
