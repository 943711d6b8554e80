package locktest

import (
	"fmt"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/traces"
)

// outcome holds the results of a scenario until its subtest reports them: a test's own text precedes that of its subtests
// only if the test logs it before they run.
type outcome struct {
	messages []message
	// failures are reported in full, after the messages. Which of them are kept is known once all scenarios are searched.
	failures []*causes.Failure
	// shown are the traces to write, if they are requested.
	shown []*traces.Trace
	// skip is why the search shows nothing about the lock; empty if it does.
	skip string
	// failed is set if the scenario fails, ended if nothing more is tried in it.
	failed, ended bool
}

// message is a line of a subtest, which fails it or does not.
type message struct {
	text  string
	fails bool
}

func (o *outcome) logf(format string, args ...any) {
	o.messages = append(o.messages, message{text: fmt.Sprintf(format, args...)})
}

// detailf adds a message that is printed with -v only.
func (o *outcome) detailf(format string, args ...any) {
	if testing.Verbose() {
		o.logf(format, args...)
	}
}

func (o *outcome) errorf(format string, args ...any) {
	o.messages, o.failed = append(o.messages, message{fmt.Sprintf(format, args...), true}), true
}

// problemf fails the scenario for an error that is not a finding.
func (x *session) problemf(o *outcome, format string, args ...any) {
	o.errorf(format, args...)
	x.problems = append(x.problems, o.messages[len(o.messages)-1].text)
}
