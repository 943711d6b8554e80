package diff

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// asReal is a run as real servers may show it: later by and by, with other random values, and up to its violation.
func asReal(t *testing.T, name string) *traces.Trace {
	t.Helper()
	tr := sampletraces.Named(t, name)
	other := strings.NewReplacer(sampletraces.ValueC1, "5b0c77f1a2", sampletraces.ValueC2, "e90d14bb03")
	moved := func(s *model.Stamp) {
		if s.Happened() {
			s.At += time.Duration(s.Seq) * 170 * time.Microsecond
		}
	}
	v := *tr.Verdict()
	last := v.To.Seq
	h := &tr.History
	tr.Events = slices.DeleteFunc(tr.Events, func(e sim.Event) bool { return e.Seq > last })
	h.Operations = slices.DeleteFunc(h.Operations, func(o model.Operation) bool { return o.Call.Seq > last })
	h.Observations = slices.DeleteFunc(h.Observations, func(o model.Observation) bool { return o.Seq > last })
	for i := range tr.Events {
		e := &tr.Events[i]
		e.At += time.Duration(e.Seq) * 170 * time.Microsecond
		e.Detail, e.Payload = other.Replace(e.Detail), []byte(other.Replace(string(e.Payload)))
	}
	for i := range h.Operations {
		o := &h.Operations[i]
		if o.Return.Seq > last {
			o.Return, o.Result, o.Err, o.NotHeld = model.Stamp{}, model.Unknown, "", false
		}
		moved(&o.Call)
		moved(&o.Return)
	}
	for i := range h.Observations {
		o := &h.Observations[i]
		o.Value = other.Replace(o.Value)
		moved(&o.Stamp)
	}
	moved(&v.From)
	moved(&v.To)
	moved(&h.End)
	tr.Verdicts, tr.Tape, tr.Hash, tr.Attribution, tr.Shrunk = []model.Verdict{v}, nil, "", nil, nil
	tr.Real = &traces.Real{Server: "redis-server 7.0.15", Client: "go-redis v9.0.5", Platform: "linux/amd64", When: "2026-01-31T12:00:00Z", Try: 1}
	return tr
}

// TestDiffReal: of a real run all steps are found in the simulated one, whatever its times and values are, and nothing is said of what
// differs in any case. What happened otherwise is shown.
func TestDiffReal(t *testing.T) {
	golden.File(t, "../testdata/diff-real.txt", diffText(t, sampletraces.Named(t, "gc-pause"), asReal(t, "gc-pause")))
	for _, c := range []struct {
		name      string
		a, b      func() *traces.Trace
		says, not []string
	}{
		{"simulated and real", func() *traces.Trace { return sampletraces.Named(t, "gc-pause") }, func() *traces.Trace { return asReal(t, "gc-pause") },
			[]string{"B is a real run: ", "All 11 steps are in both runs. B ends with the violation; 1 step behind it is left out."}, []string{" · ", "begin to differ", "not judged", "decided otherwise"}},
		{"real and simulated", func() *traces.Trace { return asReal(t, "gc-pause") }, func() *traces.Trace { return sampletraces.Named(t, "gc-pause") },
			[]string{"A is a real run: ", "All 11 steps are in both runs. A ends with"}, []string{" · ", "not judged"}},
		{"a failover", func() *traces.Trace { return sampletraces.Named(t, "failover-loss") }, func() *traces.Trace { return asReal(t, "failover-loss") },
			[]string{"steps are in both runs. B ends with the violation"}, []string{" · "}},
		{"two real runs", func() *traces.Trace { return asReal(t, "gc-pause") }, func() *traces.Trace {
			b := asReal(t, "gc-pause")
			b.History.Operations[0].Call.At -= 10 * time.Microsecond
			return b
		}, []string{"Both are real runs: ", "All 11 steps are in both runs."}, []string{" · ", "ends with"}},
		{"another number is written", func() *traces.Trace { return sampletraces.Named(t, "gc-pause") }, func() *traces.Trace {
			b := asReal(t, "gc-pause")
			for i := range b.History.Operations {
				if o := &b.History.Operations[i]; o.Client == "c2" && o.Kind == model.Write {
					o.Value = 7
				}
			}
			for i := range b.History.Observations {
				if o := &b.History.Observations[i]; o.Kind == model.ResourceWritten && o.By.Client == "c2" {
					o.Number = 7
				}
			}
			return b
		}, []string{"10 of 12 steps are in both runs.", " · c2 writes 1 ", "c2 writes 7 "}, nil},
		{"it left the order", func() *traces.Trace { return sampletraces.Named(t, "gc-pause") }, func() *traces.Trace {
			b := asReal(t, "gc-pause")
			b.Property, b.Limit, b.Verdicts, b.Real.Diverged = "", false, nil, "diverged at event 26: waited for: c1: pause"
			return b
		}, []string{"B left the order of the simulated run and ended: diverged at event 26: waited for: c1: pause."}, []string{"left out"}},
		{"the other violation", func() *traces.Trace { return sampletraces.Named(t, "gc-pause") }, func() *traces.Trace {
			b := asReal(t, "gc-pause")
			b.Verdicts[0].Status, b.Verdicts[0].Limit, b.Verdicts[0].Cause, b.Property, b.Limit = model.Holds, false, "", "", false
			return b
		}, []string{"no-lost-update A violated (limit), B holds"}, []string{"mutual-exclusion A"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Join(strings.Fields(diffText(t, c.a(), c.b())), " ")
			page := diffPageOf(t, c.a(), c.b())
			soundDiff(t, page)
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("it does not say %q:\n%s", want, text)
				}
			}
			for _, not := range c.not {
				if strings.Contains(text, not) {
					t.Errorf("it says %q:\n%s", not, text)
				}
			}
			if strings.Contains(page, "alike until here") || !strings.Contains(page, "How the runs are compared") {
				t.Error("the page marks where the runs begin to differ, or does not say how they are compared")
			}
		})
	}
}

// TestDiffRealEqual: a real run is equal to itself, and to no other.
func TestDiffRealEqual(t *testing.T) {
	one, other := asReal(t, "gc-pause"), asReal(t, "gc-pause")
	if !pair(one, other).Equal() {
		t.Error("it is not equal to itself")
	}
	other.Events[3].At += time.Microsecond
	if d := pair(one, other); d.Equal() {
		t.Error("a run with another event is equal")
	} else if err := Text(&bytes.Buffer{}, d, false); err != nil {
		t.Error(err)
	}
}
