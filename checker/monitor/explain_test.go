package monitor_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/checker/monitor"
	"github.com/lockpick-dev/lockpick/internal/histories"
	"github.com/lockpick-dev/lockpick/model"
)

// tape writes a history by hand: every call and every return is the next event.
type tape struct {
	calls []model.Call
	event int64
}

func (h *tape) next() int64 {
	h.event++
	return h.event
}

// call is called now, and has no answer yet.
func (h *tape) call(client string, op model.OpKind) int {
	h.calls = append(h.calls, model.Call{
		ID: len(h.calls) + 1, Client: client, Object: "o", Op: op, Call: h.next(), Outcome: model.Unknown,
	})
	return len(h.calls)
}

func (h *tape) answer(id int, outcome model.Outcome) *model.Call {
	c := &h.calls[id-1]
	c.Return, c.Outcome = h.next(), outcome
	return c
}

// does is a call that succeeds at once.
func (h *tape) does(client string, op model.OpKind) *model.Call {
	return h.answer(h.call(client, op), model.OK)
}

func ExampleExplain() {
	var h tape
	for i := range 1000 { // turns of two clients
		client := fmt.Sprintf("c%d", 1+i%2)
		h.does(client, model.Acquire)
		if i == 700 {
			h.does("c3", model.Acquire)
		}
		h.does(client, model.Release)
	}
	spec := model.Spec{Kind: model.KindMutex}
	r, err := monitor.Judge(spec, h.calls, time.Second)
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Status)
	fmt.Print(monitor.Explain(spec, h.calls, r, time.Second))
	// Output:
	// violated
	// C1 (#1401) held the lock from event 2802 on, and nothing had begun to end that hold when the acquire of c3 (#1402) returned at event 2804. (Read as short as a hold can be: from the return of its acquire to the call of its release.)
	//   events 2801 to 2802: c1 #1401 acquire: ok
	//   events 2803 to 2804: c3 #1402 acquire: ok
}

// TestExplainTry: what is next to a try that failed is part of what explains it.
func TestExplainTry(t *testing.T) {
	var h tape
	for range 50 {
		h.does("c1", model.Acquire)
		h.does("c1", model.Release)
	}
	try := h.call("c2", model.Acquire)
	h.calls[try-1].Try = true
	h.answer(try, model.Failed)
	h.does("c3", model.Acquire)
	spec := model.Spec{Kind: model.KindMutex}
	r, err := monitor.Judge(spec, h.calls, 0)
	if err != nil || r.Violation == nil || r.Violation.Rule != monitor.Try {
		t.Fatalf("%+v, %v", r, err)
	}
	e := monitor.Explain(spec, h.calls, r, 0)
	if len(e.Shortest) > 4 || !slices.ContainsFunc(e.Shortest, func(c model.Call) bool { return c.ID == try }) {
		t.Errorf("%s", e)
	}
}

// TestExplain: what is left of an illegal history is illegal by the same rule,
// and is a history.
func TestExplain(t *testing.T) {
	for _, k := range judged {
		t.Run(string(k.kind), func(t *testing.T) {
			illegal := 0
			manyChecks(t, checks()/20, func(t *rapid.T) {
				spec := histories.Spec(t, k.kind)
				calls := histories.Any(spec, k.most).Draw(t, "calls")
				m, err := monitor.New(spec)
				if err != nil {
					t.Fatal(err)
				}
				r := monitor.Feed(m, calls)
				if r.Status != model.Violated {
					return
				}
				illegal++
				e := monitor.Explain(spec, calls, r, time.Minute)
				if again, err := monitor.Judge(spec, e.Shortest, time.Minute); err != nil || again.Status != model.Violated || len(e.Shortest) > len(calls) {
					t.Fatalf("%v, %v\n%s\nof\n%s", again, err, e, histories.Text(calls))
				}
				for i := range e.Shortest {
					if c := &e.Shortest[i]; spec.Check(c) != nil || !slices.Contains(calls, *c) {
						t.Fatalf("made up: %+v", *c)
					}
				}
			})
			if illegal == 0 {
				t.Error("none was illegal")
			}
		})
	}
}
