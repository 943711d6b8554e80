package judging

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/checker/monitor"
	"github.com/lockpick-dev/lockpick/history"
	"github.com/lockpick-dev/lockpick/model"
)

var (
	mutex = model.Spec{Kind: model.KindMutex}
	bound = monitor.Bound{Time: time.Minute, Memory: 1 << 28}
)

// read reads lines of NDJSON.
func read(t *testing.T, lines string) *history.History {
	t.Helper()
	h, err := readText(lines)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const (
	heldA  = `{"client":"c1","object":"a","op":"acquire","call":1,"return":2,"outcome":"ok"}` + "\n"
	heldB  = `{"client":"c2","object":"b","op":"acquire","call":3,"return":4,"outcome":"ok"}` + "\n"
	crash  = `{"client":"c1","op":"crash","call":5,"outcome":"unknown"}` + "\n"
	againA = `{"client":"c2","object":"a","op":"acquire","call":7,"return":8,"outcome":"ok"}` + "\n"
	againB = `{"client":"c3","object":"b","op":"acquire","call":9,"return":10,"outcome":"ok"}` + "\n"
	note   = `{"annotation":"the disk is full","on":"s1","from":3,"to":6}` + "\n"
)

// TestJudge: each object is judged by itself, a crash ends what its client held,
// and no other's; the whole is as bad as the worst.
func TestJudge(t *testing.T) {
	for _, test := range []struct {
		name, lines string
		status      model.Status
		objects     []model.Status
	}{
		{"nothing", "", model.NotApplicable, nil},
		{"two objects, held at once", heldA + heldB, model.Holds, []model.Status{model.Holds, model.Holds}},
		{"held twice", heldA + againA, model.Violated, []model.Status{model.Violated}},
		{"held again after the crash", heldA + crash + againA, model.Holds, []model.Status{model.Holds}},
		{"of two objects", heldA + heldB + crash + againA, model.Holds, []model.Status{model.Holds, model.Holds}},
		{"held again after the crash of another", heldA + heldB + crash + againB, model.Violated, []model.Status{model.Holds, model.Violated}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := read(t, test.lines)
			if err := Check(mutex, h); err != nil {
				t.Fatal(err)
			}
			j := Judge(t.Context(), mutex, h, bound)
			if got := j.Status(); got != test.status || len(j.Objects) != len(test.objects) {
				t.Fatalf("%s of %d objects, want %s of %d", got, len(j.Objects), test.status, len(test.objects))
			}
			for i, o := range j.Objects {
				for _, c := range o.Calls {
					if c.Op == model.Crash && o.Name != "a" {
						t.Errorf("%s has the crash of a client that did not use it", o.Name)
					}
				}
				if o.Status != test.objects[i] || (o.Status == model.Violated) != (len(o.Shortest) == 2) {
					t.Errorf("%s: %s with %d calls that are illegal by themselves, want %s", o.Name, o.Status, len(o.Shortest), test.objects[i])
				}
			}
		})
	}
}

// TestCheck names the line that such an object cannot have had.
func TestCheck(t *testing.T) {
	err := Check(model.Spec{Kind: model.KindLatch, Count: 1}, read(t, heldA))
	if err == nil || !strings.HasPrefix(err.Error(), `line 1: operation "acquire": a latch has count-down`) {
		t.Errorf("the error is %v", err)
	}
}

// TestAnnotations: only what happened while the calls went on, within these.
func TestAnnotations(t *testing.T) {
	j := Judge(t.Context(), mutex, read(t, heldA+heldB+note+againB), bound)
	for _, test := range []struct {
		calls    []model.Call
		from, to int64
	}{
		{nil, 0, 0},
		{j.History.Calls[:1], 0, 0},
		{j.History.Calls, j.History.Annotations[0].From, j.History.Annotations[0].To},
		{j.History.Calls[1:2], j.History.Calls[1].Call, j.History.Calls[1].Return},
		{j.History.Calls[2:], 0, 0},
	} {
		list := j.Annotations(test.calls)
		if (len(list) > 0) != (test.to > 0) || len(list) > 0 && (list[0].From != test.from || list[0].To != test.to) {
			t.Errorf("%+v: %+v, want %d to %d", test.calls, list, test.from, test.to)
		}
	}
}

// TestMemory: a search that would take more memory than it may is no verdict,
// whatever porcupine makes of it.
func TestMemory(t *testing.T) {
	lines, err := os.ReadFile("../../simrun/testdata/judge/hard.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	r := decide(model.Spec{Kind: model.KindRegister}, read(t, string(lines)).Calls, monitor.Bound{Time: time.Minute, Memory: 1 << 20})
	if r.Status != model.Undecided || !strings.Contains(r.Doubt, "No order was found within 5165 steps") {
		t.Errorf("%s: %s", r.Status, r.Doubt)
	}
}

// readText reads NDJSON.
func readText(lines string) (*history.History, error) {
	return history.Read(history.Options{}, history.Input{Reader: strings.NewReader(lines)})
}

// written is the calls as NDJSON.
func written(t interface{ Fatal(args ...any) }, calls []model.Call) string {
	var b strings.Builder
	w := history.NewWriter(&b)
	for i := range calls {
		if err := w.Write(calls[i]); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}
