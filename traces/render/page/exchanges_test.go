package page

import (
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// TestEarlierLimits: an overlap before the one that is judged a fault is marked as a limit;
// none is if the verdict is of the first, or is a limit itself.
func TestEarlierLimits(t *testing.T) {
	s := sampletraces.NewStage("gc-pause", "setpx", 2)
	hold := func(client string, from, to time.Duration) (acquire *model.Operation) {
		a := s.Call(from-ms, client, model.Acquire, nil)
		s.Answer(from, a, model.OK)
		r := s.Call(to, client, model.Release, a)
		s.Answer(to+ms, r, model.OK)
		return a
	}
	hold("c1", 10*ms, 40*ms)
	hold("c2", 20*ms, 50*ms)
	hold("c1", 100*ms, 140*ms)
	last := hold("c2", 120*ms, 150*ms)
	trace := s.Build()
	from := trace.History.Operation(last.ID).Return
	trace.Property = "mutual-exclusion"
	trace.Verdicts = []model.Verdict{{Property: "mutual-exclusion", Status: model.Violated, Operations: []int{3, last.ID}, From: from, To: model.Stamp{Seq: from.Seq + 1, At: 140 * ms}}}
	limits, _ := story.Of(trace).EarlierLimits()
	if len(limits) != 1 || limits[0].From.At != 20*ms || limits[0].To.At != 40*ms {
		t.Errorf("%v", limits)
	}
	page := view(t, trace)
	if !strings.Contains(page, `class="overlap"`) || !strings.Contains(page, "a limit: c1 and c2 both believe") {
		t.Error("the picture does not mark it")
	}
	trace.Verdicts[0].Limit = true
	if limits, _ := story.Of(trace).EarlierLimits(); len(limits) != 0 {
		t.Errorf("the verdict is a limit, and %v is one before it", limits)
	}
}

// TestViewOmits: the page says which steps it does not have.
func TestViewOmits(t *testing.T) {
	trace := sampletraces.Busy(10)
	if omitted := story.Of(trace).Omitted; omitted == "" || !strings.Contains(view(t, trace), omitted) {
		t.Errorf("the page does not say %q", omitted)
	}
}

// TestViewKeepsLabels: a text for which a picture has no room is there for the script, which may find room.
func TestViewKeepsLabels(t *testing.T) {
	if !strings.Contains(view(t, sampletraces.DoubleGrant()), `data-a="c2 learns of it"`) {
		t.Error("the page does not say it where there is room for it")
	}
}
