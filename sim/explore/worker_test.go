package explore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// served is what a worker answers to requests.
func served(t *testing.T, requests ...Request) []Result {
	t.Helper()
	var in, out bytes.Buffer
	for _, q := range requests {
		if err := json.NewEncoder(&in).Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := Serve(&in, &out, resolve); err != nil {
		t.Fatal(err)
	}
	var list []Result
	for d := json.NewDecoder(&out); ; {
		var r Result
		switch err := d.Decode(&r); {
		case errors.Is(err, io.EOF):
			return list
		case err != nil:
			t.Fatal(err)
		case !r.Done && !r.Alive:
			list = append(list, r)
		}
	}
}

func TestServe(t *testing.T) {
	const seed = 1
	good := cell{}.json()
	t.Run("schedules", func(t *testing.T) {
		list := served(t, Request{Cell: good, Seed: seed, First: 5, Count: 3})
		for i, r := range list {
			want := draw(seed, 5+i)
			if r.Schedule != 5+i || r.Hash != uint64(want)+1 || r.Happened != 1<<want || r.Events != 2 || r.Simulated != int64(time.Millisecond) || r.Recording != nil || r.Verdicts != nil {
				t.Errorf("%+v", r)
			}
		}
		if len(list) != 3 {
			t.Errorf("%d results", len(list))
		}
	})
	t.Run("reverse", func(t *testing.T) {
		forth, back := served(t, Request{Cell: good, Seed: seed, Count: 5}), served(t, Request{Cell: good, Seed: seed, Count: 5, Reverse: true})
		slices.Reverse(back)
		for i := range forth {
			if forth[i].Schedule != back[i].Schedule || forth[i].Hash != back[i].Hash {
				t.Errorf("%+v and %+v", forth[i], back[i])
			}
		}
	})
	t.Run("record", func(t *testing.T) {
		for _, r := range served(t, Request{Cell: good, Seed: seed, Count: 2, Record: true}) {
			if r.Recording == nil || len(r.Recording.Choices) != 1 || len(r.Verdicts) != 2 {
				t.Errorf("%+v", r)
			}
		}
	})
	t.Run("a finding comes with its tape, once", func(t *testing.T) {
		list := served(t, Request{Cell: cell{"violate p and q", always}.json(), Seed: seed, Count: 3})
		for i, r := range list {
			if !slices.Equal(r.Violated, []model.Violation{pFault, {Property: "q"}}) || (r.Tape != nil) != (i == 0) || r.Recording != nil {
				t.Errorf("result %d: %+v", i, r)
			}
		}
	})
	t.Run("undecided", func(t *testing.T) {
		for _, r := range served(t, Request{Cell: cell{"be undecided", always}.json(), Count: 1}) {
			if len(r.Undecided) != 1 || r.Undecided[0].Property != "p" || r.Violated != nil {
				t.Errorf("%+v", r)
			}
		}
	})
	t.Run("leaks end it early", func(t *testing.T) {
		list := served(t, Request{Cell: cell{"leak", always}.json(), Count: 3})
		if len(list) != 1 || list[0].Trouble == nil || list[0].Trouble.Kind != Crashed {
			t.Errorf("%+v", list)
		}
	})
	t.Run("one request after another", func(t *testing.T) {
		list := served(t, Request{Cell: good, Count: 2}, Request{Cell: cell{"violate p and q", always}.json(), First: 7, Count: 2})
		var got []int
		for _, r := range list {
			got = append(got, r.Schedule)
		}
		if !slices.Equal(got, []int{0, 1, 7, 8}) || list[0].Violated != nil || list[2].Violated == nil {
			t.Errorf("%+v", list)
		}
	})
	t.Run("skip", func(t *testing.T) {
		for _, strategy := range []string{RandomStrategy, SwarmStrategy} {
			list := served(t, Request{Cell: good, Strategy: strategy, Seed: seed, First: 3, Count: 3, Skip: []int{1, 4}})
			if len(list) != 2 || list[0].Schedule != 3 || list[1].Schedule != 5 {
				t.Errorf("%s: %+v", strategy, list)
			}
		}
	})
}

func TestServeTape(t *testing.T) {
	recorded := sim.Choice{Kind: question.Kind, Actor: question.Actor, Options: question.Options, Option: 7}
	for _, test := range []struct {
		name     string
		do       string
		tape     []sim.Choice
		hash     uint64
		diverged bool
	}{
		{"fits", "", []sim.Choice{recorded}, 8, false},
		{"too long", "", []sim.Choice{recorded, recorded}, 8, true},
		{"too short", "ask more", []sim.Choice{recorded}, 8, true},
		{"empty", "", nil, 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := served(t, Request{Cell: cell{test.do, always}.json(), Replay: true, Record: true, Tape: test.tape, Count: 5})
			if len(list) != 1 {
				t.Fatalf("%d results", len(list))
			}
			r := list[0]
			if r.Hash != test.hash || (r.Divergence != nil) != test.diverged || r.Recording == nil || len(r.Tape) == 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestServeRefuses(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", "the request cannot be read: EOF"},
		{"{", "the request cannot be read: unexpected EOF"},
		{`{"cell":{"do":"dance"}}`, `nothing is called "dance"`},
	} {
		var out bytes.Buffer
		if err := Serve(strings.NewReader(test.in), &out, resolve); err == nil || !strings.Contains(err.Error(), test.want) || out.Len() > 0 {
			t.Errorf("%q: %v; %s", test.in, err, out.String())
		}
	}
	if err := Serve(strings.NewReader(`{"cell":{},"count":1}`), broken{}, resolve); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("nobody listens: %v", err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestDo: a worker that cannot start is an error; whatever it does then is
// trouble.
func TestDo(t *testing.T) {
	each := func(Result) bool { return true }
	q := Request{Cell: cell{}.json(), Count: 1}
	isTrouble := func(err error) bool { var trouble *Trouble; return errors.As(err, &trouble) }

	if err := (Worker{Command: []string{"/nonexistent/worker"}}).Do(t.Context(), q, each); err == nil || isTrouble(err) || !strings.Contains(err.Error(), "the worker does not start") {
		t.Errorf("no such program: %v", err)
	}
	for program, want := range map[string]string{
		"echo hello":                     "the worker's answer cannot be read",
		"head -n1 >/dev/null; yes hello": "the worker's answer cannot be read",
		"true":                           "the worker ended before it was done",
		"echo '{\"schedule\":0}'":        "the worker ended before it was done",
		"echo '{\"schedule\":0'":         "the worker ended before it was done",
		"echo panic: boo >&2; exit 9":    "the worker died: panic: boo",
	} {
		err := (Worker{Command: []string{"sh", "-c", program}}).Do(t.Context(), q, each)
		if !isTrouble(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", program, err, want)
		}
	}
	q.Cell = cell{Do: "dance"}.json()
	if err := self(t).Do(t.Context(), q, each); !isTrouble(err) || err.Error() != `the worker died: simrun: nothing is called "dance"` {
		t.Errorf("an unknown cell: %v", err)
	}
}

// TestSilence: a worker that says nothing is ended.
func TestSilence(t *testing.T) {
	defer func(old time.Duration) { silence = old }(silence)
	silence = 300 * time.Millisecond
	err := (Worker{Command: []string{"sleep", "100"}}).Do(t.Context(), Request{}, func(Result) bool { return true })
	if trouble := (*Trouble)(nil); !errors.As(err, &trouble) || trouble.Kind != Inconclusive || trouble.Reason != "the worker said nothing for 300ms and was ended" {
		t.Errorf("%v", err)
	}
	err = (Worker{Command: []string{"sleep", "100"}, Silence: 100 * time.Millisecond}).Do(t.Context(), Request{}, func(Result) bool { return true })
	if trouble := (*Trouble)(nil); !errors.As(err, &trouble) || trouble.Reason != "the worker said nothing for 100ms and was ended" {
		t.Errorf("with a time of its own: %v", err)
	}
}

// TestStill: a worker that has said that it runs, and stands still, is ended sooner than one that is silent. One that goes on is not.
func TestStill(t *testing.T) {
	old := stillness
	t.Cleanup(func() { stillness = old }) // when the subtests have ended
	stillness = 3 * time.Second
	const alive = `echo '{"alive":true}'; `
	for program, want := range map[string]string{
		alive + "kill -STOP $$": "the worker stood still for 3s in a run, as a process does that is stopped by SIGSTOP, and was ended",
		alive + "sleep 100":     "the worker stood still for 3s",
		"for i in 1 2 3 4 5 6 7 8; do " + alive + " sleep 0.5; done": "the worker ended before it was done",
		"sleep 4": "the worker ended before it was done", // it has not said that it makes a run
	} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			err := (Worker{Command: []string{"sh", "-c", program}}).Do(t.Context(), Request{}, func(Result) bool { return true })
			if trouble := (*Trouble)(nil); !errors.As(err, &trouble) || !strings.HasPrefix(trouble.Reason, want) || (trouble.Cause == Stopped) != strings.Contains(want, "still") {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestFlood: a worker that prints more than a run may is ended, and one that prints as much in several runs is not.
func TestFlood(t *testing.T) {
	slowtest.SkipIfShort(t)
	print := func(n int) string { return fmt.Sprintf("head -c %d /dev/zero >&2; ", n) }
	for program, want := range map[string]string{
		print(maxPrinted + 1): "the code under test printed more than 64 MB in one run",
		print(maxPrinted/2) + "sleep 0.2; echo '{\"schedule\":0}'; sleep 0.2; " + print(maxPrinted/2+1): "the worker ended before it was done",
	} {
		err := (Worker{Command: []string{"sh", "-c", program + "sleep 0.1"}}).Do(t.Context(), Request{}, func(Result) bool { return true })
		if trouble := (*Trouble)(nil); !errors.As(err, &trouble) || !strings.HasPrefix(trouble.Reason, want) || len(trouble.Stack) > tailHead+tailRest {
			t.Errorf("%s: %v", program, err)
		}
	}
}

// TestCrowd: a run with too many goroutines is given up at once, with the place where most are; one with many goes on.
func TestCrowd(t *testing.T) {
	for _, n := range []int{maxGoroutines / 2, maxGoroutines + 1000} {
		end, done := make(chan int), make(chan int)
		o, trouble := guarded(func(how Run) Outcome {
			for range n {
				go func() { <-end; done <- 1 }()
				how.Progress.Add(1) // so that a slow machine has not spun
			}
			time.Sleep(2 * lookEvery)
			how.Progress.Add(1)
			return Outcome{Hash: 7}
		}, Run{Tape: sim.Calm{}})
		close(end)
		for range n {
			<-done
		}
		if crowded := n > maxGoroutines; crowded != (trouble != nil) || !crowded && o.Hash != 7 {
			t.Errorf("%d goroutines: %+v, %+v", n, o, trouble)
		} else if crowded && (trouble.Cause != Crowded || !strings.Contains(trouble.Stack, "explore.TestCrowd.func")) {
			t.Errorf("%+v", trouble)
		}
	}
}

// TestFailedTest: a run that has failed its test is trouble, with what it said, whatever else came of it.
func TestFailedTest(t *testing.T) {
	for _, test := range []struct {
		o    Outcome
		want string
	}{
		{Outcome{FailedTest: []string{}}, "code of the run failed the test"},
		{Outcome{FailedTest: []string{"a.go:1: b", "c"}}, "code of the run failed the test: a.go:1: b"},
		{Outcome{FailedTest: []string{"a.go:1: b"}, Failure: &sim.Failure{Actor: "c1", Reason: "boo"}}, "code of the run failed the test: a.go:1: b. Besides, in c1: boo"},
	} {
		r := result(3, &test.o)
		if r.Trouble == nil || r.Trouble.Reason != test.want || r.Trouble.Cause != FailedTest || r.Trouble.Kind != Crashed || r.Trouble.Leaked || r.Trouble.Schedule != 3 {
			t.Errorf("%+v", r.Trouble)
		}
	}
	if r := result(0, &Outcome{}); r.Trouble != nil {
		t.Errorf("%+v", r.Trouble)
	}
}

// TestStopping: each ends the worker by returning false.
func TestStopping(t *testing.T) {
	heard := 0
	err := self(t).Do(t.Context(), Request{Cell: cell{}.json(), Count: 1e9}, func(Result) bool {
		heard++
		return heard < 3
	})
	if err != nil || heard != 3 {
		t.Errorf("heard %d, %v", heard, err)
	}
}

// TestGuarded: a run that ends is not disturbed.
func TestGuarded(t *testing.T) {
	o, trouble := guarded(func(Run) Outcome { return Outcome{Hash: 7} }, Run{Tape: sim.Calm{}})
	if trouble != nil || o.Hash != 7 {
		t.Errorf("%+v, %+v", o, trouble)
	}
}

func TestFirstLine(t *testing.T) {
	other := errors.New("exit status 2")
	for _, test := range []struct{ words, want string }{
		{"", "exit status 2"},
		{"some words\nand more\n", "exit status 2"},
		{"log\npanic: boom\n\ngoroutine 1 [running]:\n", "panic: boom"},
		{"fatal error: concurrent map writes\n", "fatal error: concurrent map writes"},
		{"  simrun: no such cell  \npanic: later", "simrun: no such cell"},
		{"a panic: in the middle\n", "exit status 2"},
	} {
		if got := firstLine(test.words, other); got != test.want {
			t.Errorf("%q: %s", test.words, got)
		}
	}
}

// TestTail: the beginning and the end of what was written are kept.
func TestTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []byte
		var kept tail
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 10_000), 0, 10).Draw(t, "sizes") {
			part := bytes.Repeat([]byte{byte('a' + len(all)%26)}, n)
			all = append(all, part...)
			if got, err := kept.Write(part); got != n || err != nil {
				t.Fatalf("%d, %v", got, err)
			}
		}
		want := string(all)
		if len(all) > tailHead+tailRest {
			want = string(all[:tailHead]) + string(all[len(all)-tailRest:])
		}
		if kept.String() != want {
			t.Fatalf("of %d bytes %d are kept, want %d", len(all), len(kept.String()), len(want))
		}
	})
}

func TestFirstDifference(t *testing.T) {
	events := func(details ...string) *Recording {
		r := &Recording{}
		for i, d := range details {
			r.Events = append(r.Events, sim.Event{Seq: int64(i + 1), At: time.Second, Kind: sim.EventNote, Actor: "a", Peer: "b", Detail: d, Payload: []byte(d)})
		}
		return r
	}
	history := events("x")
	history.History.LockName = "other"
	of := func(e sim.Event) *Recording {
		e.Kind, e.Actor = sim.EventNote, "a"
		return &Recording{Events: []sim.Event{e}}
	}
	long := func(end string) *Recording { return of(sim.Event{Payload: []byte(strings.Repeat("x ", 50) + end)}) }
	for _, test := range []struct {
		name string
		a, b *Recording
		want string
	}{
		{"alike", events("x"), events("x"), "events and histories are alike, but the verdicts differ"},
		{"an event", events("x", "y"), events("x", "z", "u"), `event 2 is "note" at 1s of a with b (y) "y" in one run and "note" at 1s of a with b (z) "z" in the other`},
		{"the end of what is sent", long("y"), long("z"), `event 1 is "note" at 0s of a …"x x x x x x x x x x y" in one run and "note" at 0s of a …"x x x x x x x x x x z" in the other`},
		{"the connection", of(sim.Event{Conn: 1}), of(sim.Event{Conn: 2}), `event 1 is "note" at 0s of a, connection 1, sent at 0s, late false, decision "" in one run and ` +
			`"note" at 0s of a, connection 2, sent at 0s, late false, decision "" in the other`},
		{"the length", events("x"), events("x", "y"), "one run has 1 events and the other 2"},
		{"the history", events("x"), history, "the events are alike, but the histories differ"},
	} {
		if got := FirstDifference(test.a, test.b); got != test.want {
			t.Errorf("%s: %s", test.name, got)
		}
	}
}

func TestViolated(t *testing.T) {
	o := Outcome{Verdicts: []model.Verdict{
		{Property: "a", Status: model.Violated}, {Property: "b", Status: model.Holds},
		{Property: "c", Status: model.Undecided}, {Property: "d", Status: model.Violated, Limit: true},
	}}
	if got := o.Violated(); !slices.Equal(got, []model.Violation{{Property: "a"}, {Property: "d", Limit: true}}) {
		t.Errorf("violated: %v", got)
	}
}

// TestLean: a lean request keeps no tapes, and makes the same runs; what a runner tells
// beside comes through.
func TestLean(t *testing.T) {
	q := Request{Cell: cell{"violate p and q", always}.json(), Seed: 1, Count: 2}
	plain := served(t, q)
	q.Lean = true
	for i, r := range served(t, q) {
		if len(r.Tape) > 0 || len(plain[0].Tape) == 0 || r.Hash != plain[i].Hash {
			t.Errorf("%+v", r)
		}
	}
	o := Outcome{Extra: json.RawMessage(`{"waits":3}`)}
	r := result(0, &o)
	if back := r.Outcome(); string(back.Extra) != `{"waits":3}` {
		t.Errorf("%+v", back)
	}
}
