package locktest

import (
	"fmt"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/traces"
)

// outcome is what the search of a scenario has come to, until its subtest says so. A test prints
// its own text before that of its subtests only if it writes it before they run.
type outcome struct {
	said []said
	// failures are told in full, behind what is said. Which of them are kept is known when all
	// scenarios are searched.
	failures []*causes.Failure
	// shown are the traces that are written, if they are asked for.
	shown []*traces.Trace
	// skip says why the search says nothing about the lock, empty if it does.
	skip string
	// failed is set if the scenario fails, ended if nothing else is to be tried in it.
	failed, ended bool
}

// said is a line of a subtest. It fails the subtest, or is a remark.
type said struct {
	text  string
	fails bool
}

func (o *outcome) logf(format string, args ...any) {
	o.said = append(o.said, said{text: fmt.Sprintf(format, args...)})
}

// detailf is told with -v only.
func (o *outcome) detailf(format string, args ...any) {
	if testing.Verbose() {
		o.logf(format, args...)
	}
}

func (o *outcome) errorf(format string, args ...any) {
	o.said, o.failed = append(o.said, said{fmt.Sprintf(format, args...), true}), true
}

// problemf fails the scenario for what is no finding.
func (x *session) problemf(o *outcome, format string, args ...any) {
	o.errorf(format, args...)
	x.problems = append(x.problems, o.said[len(o.said)-1].text)
}
