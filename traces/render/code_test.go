package render_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// coded is a trace of whose requests and calls the lines of code are known.
func coded(line string) *traces.Trace {
	t := sampletraces.FailoverLoss()
	for i := range t.Events {
		e := &t.Events[i]
		request := e.Kind == sim.EventDeliver && strings.HasPrefix(e.Peer, "c")
		if request || e.Kind == sim.EventMark {
			t.Remarks = append(t.Remarks, sim.Remark{Seq: e.Seq, Code: line})
		}
	}
	return t
}

// TestCode: a verbose story and the page name the line of code of what clients did, and nothing else does.
func TestCode(t *testing.T) {
	for _, line := range []string{"mylock/lock.go:41", "a\x1b[2J</script>:1"} {
		trace := coded(line)
		var brief, verbose, page, without bytes.Buffer
		for _, err := range []error{
			render.Explain(&brief, trace, render.Style{}), render.Explain(&verbose, trace, render.Style{Verbose: true}),
			render.View(&page, trace, ""), render.Explain(&without, sampletraces.FailoverLoss(), render.Style{Verbose: true}),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		shown := strings.ReplaceAll(line, "\x1b", "\\x1b")
		told := strings.Join(strings.Fields(verbose.String()), " ")
		if brief.String() != without.String() || strings.Count(told, "by "+shown) < 3 || strings.Contains(told, "\x1b[2J") {
			t.Errorf("%q: brief:\n%s\nverbose:\n%s", line, &brief, &verbose)
		}
		inPage, _ := json.Marshal("by " + shown)
		if !strings.Contains(page.String(), "<code>mylock/lock.go:41</code>") && line == "mylock/lock.go:41" || !strings.Contains(page.String(), strings.Trim(string(inPage), `"`)) && line == "mylock/lock.go:41" || strings.Contains(page.String(), "2J</script>") {
			t.Errorf("%q is not in the page as it should be", line)
		}
		if got := story.Code(trace); got != shown {
			t.Errorf("the violation is at %q, want %q", got, shown)
		}
	}
	if got := story.Code(sampletraces.FailoverLoss()); got != "" {
		t.Errorf("without remarks the violation is at %q", got)
	}
}
