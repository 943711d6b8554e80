package judging

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/test/histories"
	"github.com/lockpick-dev/lockpick/model"
)

// turns are the lines of so many turns, in each of which a client acquires the mutex and
// releases it, from a stamp on.
func turns(n int, from int64) string {
	var b strings.Builder
	for i := range int64(n) {
		at := from + 4*i
		fmt.Fprintf(&b, `{"client":"w%d","object":"a","op":"acquire","call":%d,"return":%d,"outcome":"ok"}`+"\n", i%3, at, at+1)
		fmt.Fprintf(&b, `{"client":"w%d","object":"a","op":"release","call":%d,"return":%d,"outcome":"ok"}`+"\n", i%3, at+2, at+3)
	}
	return b.String()
}

// judged judges lines as histories of a mutex.
func judged(t *testing.T, lines string) *Judgement {
	t.Helper()
	h := read(t, lines)
	if err := Check(mutex, h); err != nil {
		t.Fatal(err)
	}
	return Judge(t.Context(), mutex, h, bound)
}

// TestWindow: the smallest illegal part has operations around it, in the order of calls, and
// all others are counted; a legal history begins with its first.
func TestWindow(t *testing.T) {
	second := `{"client":"x","object":"a","op":"acquire","call":4001,"return":4002,"outcome":"ok"}` + "\n" +
		`{"client":"y","object":"a","op":"acquire","call":4003,"return":4004,"outcome":"ok"}` + "\n"
	for _, test := range []struct {
		name, lines         string
		calls, part, before int // before the part
		after               int
	}{
		{"long", turns(1000, 1) + second + turns(500, 5001), mostWindow, 2, 1988, 2000 + 2 + 1000 - mostWindow - 1988},
		{"at its end", turns(1000, 1) + second, mostWindow, 2, 1976, 0},
		{"short", second, 2, 2, 0, 0},
		{"legal", turns(1000, 1), mostWindow, 0, 0, 2000 - mostWindow},
		{"legal and short", turns(2, 1), 4, 0, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := judged(t, test.lines)
			w := j.Window(&j.Objects[0])
			part := 0
			for i, c := range w.Calls {
				if c.Part {
					part++
				}
				if i > 0 && w.Calls[i-1].Call.Call >= c.Call.Call {
					t.Errorf("call %d is not in order", c.ID)
				}
				if c.Part != c.Decides {
					t.Errorf("call %d is of the part: %v, and decides: %v", c.ID, c.Part, c.Decides)
				}
			}
			if len(w.Calls) != test.calls || part != test.part || w.Calls[0].Skipped != test.before || w.After != test.after || w.PartLeft != 0 {
				t.Errorf("%d calls, %d of the part, %d before and %d after; want %d, %d, %d, %d", len(w.Calls), part, w.Calls[0].Skipped, w.After, test.calls, test.part, test.before, test.after)
			}
		})
	}
}

// TestWindowOfLongPart: of a part that is too long, those that decide are shown, and the last
// others.
func TestWindowOfLongPart(t *testing.T) {
	var b strings.Builder
	const takers = 40 // one more than there are permits
	for i := range int64(takers) {
		fmt.Fprintf(&b, `{"client":"p%d","object":"a","op":"acquire","n":1,"call":%d,"return":%d,"outcome":"ok"}`+"\n", i, 2*i+1, 2*i+2)
	}
	h := read(t, b.String())
	spec := model.Spec{Kind: model.KindSemaphore, Permits: takers - 1}
	j := Judge(t.Context(), spec, h, bound)
	v := &j.Objects[0]
	if v.Status != model.Violated || len(v.Shortest) != takers {
		t.Fatalf("%s, %d calls", v.Status, len(v.Shortest))
	}
	w := j.Window(v)
	part := 0
	for _, c := range w.Calls {
		if c.Part {
			part++
		}
	}
	if part != mostPart || w.PartLeft != takers-mostPart || len(w.Calls) > mostWindow || !w.Calls[len(w.Calls)-1].Part {
		t.Errorf("%d calls, %d of the part, %d left out", len(w.Calls), part, w.PartLeft)
	}
}

// TestWindowAny: whatever the history, a window has each call once, counts those that it leaves
// out, and has the smallest part.
func TestWindowAny(t *testing.T) {
	for _, kind := range model.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				spec := histories.Spec(rt, kind)
				text := written(rt, histories.Any(spec, 40).Draw(rt, "calls"))
				h, err := readText(text)
				if err != nil {
					return
				}
				j := Judge(t.Context(), spec, h, bound)
				for i := range j.Objects {
					v := &j.Objects[i]
					w := j.Window(v)
					n, part := w.After, w.PartLeft
					for _, c := range w.Calls {
						n += 1 + c.Skipped
						if c.Part {
							part++
						}
					}
					if n != len(v.Calls) || part != len(v.Shortest) {
						rt.Fatalf("%d of %d calls, %d of %d of the part\n%s", n, len(v.Calls), part, len(v.Shortest), text)
					}
					for _, hold := range j.Holds(v, 0, 1<<62) {
						if hold.To != 0 && hold.To <= hold.From || !hold.Acquire.Op.Acquires() {
							rt.Fatalf("a hold of %+v from %d to %d\n%s", hold.Acquire, hold.From, hold.To, text)
						}
					}
				}
			})
		})
	}
}

// TestHolds: a hold lasts from the return of its acquire to the call of its release, to the end
// of its lease, or to a crash of its client.
func TestHolds(t *testing.T) {
	for _, test := range []struct{ name, lines, want string }{
		{"released", heldA + `{"client":"c1","object":"a","op":"release","call":5,"return":6,"outcome":"ok"}`, "#1 2-3"},
		{"not released", heldA, "#1 2-0"},
		{"released, as far as is known", heldA + `{"client":"c1","object":"a","op":"release","call":5,"outcome":"unknown"}`, "#1 2-3"},
		{"the release failed", heldA + `{"client":"c1","object":"a","op":"release","call":5,"return":6,"outcome":"failed"}`, "#1 2-3"},
		{"another's release", heldA + `{"client":"c2","object":"a","op":"release","call":5,"return":6,"outcome":"failed"}`, "#1 2-0"},
		{"another's release of it", `{"id":1,` + heldA[1:] + `{"client":"c2","object":"a","op":"release","of":1,"call":5,"return":6,"outcome":"ok"}`, "#1 2-3"},
		{"a crash", heldA + crash, "#1 2-3"},
		{"taken in vain", `{"client":"c1","object":"a","op":"acquire","call":1,"return":2,"outcome":"failed"}`, ""},
		{"taken as far as is known", `{"client":"c1","object":"a","op":"acquire","call":1,"outcome":"unknown"}`, ""},
		{"a lease", `{"client":"c1","object":"a","op":"acquire","call":1,"return":2,"until":9,"outcome":"ok"}` + "\n" + `{"client":"c2","object":"a","op":"acquire","call":11,"return":12,"outcome":"ok"}`, "#1 2-3; #2 5-0"},
		{"a lease that is given back", `{"client":"c1","object":"a","op":"acquire","call":1,"return":2,"until":9,"outcome":"ok"}` + "\n" + `{"client":"c1","object":"a","op":"release","call":5,"return":6,"outcome":"ok"}`, "#1 2-3"},
		{"a lease that is extended", `{"client":"c1","object":"a","op":"acquire","call":1,"return":2,"until":9,"outcome":"ok"}` + "\n" + `{"client":"c1","object":"a","op":"extend","call":5,"return":6,"until":20,"outcome":"ok"}`, "#1 2-6"},
		{"two of three permits", `{"client":"c1","object":"a","op":"acquire","n":2,"call":1,"return":2,"outcome":"ok"}` + "\n" + `{"client":"c1","object":"a","op":"acquire","call":3,"return":4,"outcome":"ok"}` + "\n" + `{"client":"c1","object":"a","op":"release","n":2,"call":5,"return":6,"outcome":"ok"}`, "#1 2-5; #2 4-0"},
		{"takers and writers", `{"client":"c1","object":"a","op":"acquire-read","call":1,"return":2,"outcome":"ok"}` + "\n" + `{"client":"c1","object":"a","op":"acquire-write","call":3,"return":4,"outcome":"ok"}` + "\n" + `{"client":"c1","object":"a","op":"release-write","call":5,"return":6,"outcome":"ok"}`, "#1 2-0; #2 4-5"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := read(t, test.lines)
			j := &Judgement{Spec: mutex, History: h}
			var got []string
			for _, hold := range j.Holds(&Object{Calls: h.Calls}, 0, 1<<62) {
				got = append(got, fmt.Sprintf("#%d %d-%d", hold.Acquire.ID, hold.From, hold.To))
			}
			if text := strings.Join(got, "; "); text != test.want {
				t.Errorf("%s, want %s", text, test.want)
			}
		})
	}
}

// TestHoldsOfLongHistories: time grows with the history, also where nothing is given back.
func TestHoldsOfLongHistories(t *testing.T) {
	const n = 200_000
	h := &Judgement{}
	calls := make([]model.Call, n)
	for i := range calls {
		calls[i] = model.Call{ID: i + 1, Client: "c", Object: "a", Op: model.Acquire, Call: int64(2*i + 1), Return: int64(2*i + 2), Until: int64(2*i + 3), Outcome: model.OK}
		if i%2 == 1 {
			calls[i].Op, calls[i].Until = model.Release, 0
		}
	}
	h.History = read(t, "")
	h.History.Calls = calls
	if got := len(h.Holds(&Object{Calls: calls}, 0, 1<<62)); got != n/2 {
		t.Errorf("%d holds", got)
	}
}
