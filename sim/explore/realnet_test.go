package explore

import (
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// TestRealNetwork: a run that dials a real address is inconclusive, whether it is
// answered or not. A dial outside of the run does not matter.
func TestRealNetwork(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // nobody listens any more
	for _, test := range []struct {
		name, do, addr string
		astray         bool
	}{
		{"a server", "dial", l.Addr().String(), true},
		{"nobody", "dial", "127.0.0.1:1", true},
		{"a name", "dial", "localhost:1", true},
		{"somebody else", "sit beside one who dials", "127.0.0.1:1", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := self(t)
			w.Env = append(w.Env, realAddr+"="+test.addr)
			for _, q := range []Request{{Count: 1}, {Replay: true}} {
				q.Cell = cell{Do: test.do, When: always}.json()
				var got []Result
				if err := w.Do(t.Context(), q, func(r Result) bool { got = append(got, r); return true }); err != nil {
					t.Fatal(err)
				}
				switch {
				case len(got) != 1 || (got[0].Trouble != nil) != test.astray:
					t.Errorf("%+v: %+v", q, got)
				case !test.astray:
				case got[0].Trouble.Cause != RealNetwork || got[0].Violated != nil || !strings.Contains(got[0].Trouble.Reason, "the lock uses real networking"):
					t.Errorf("%+v: %+v: %+v", q, got[0], got[0].Trouble)
				case test.name == "a server" && !strings.Contains(got[0].Trouble.Reason, "(dials "+test.addr+")"):
					t.Errorf("not said where: %s", got[0].Trouble.Reason)
				}
			}
		})
	}
}

// TestLeaving: a long run that uses the real network ends soon. One beside something else that does so is made again to its end, by the same choices.
func TestLeaving(t *testing.T) {
	slowtest.SkipIfShort(t)
	countNetworking()
	const (
		decisions = 3000 // a millisecond each, at first
		reverses  = 1    // a schedule in which some selects are reversed
	)
	ask := func(t sim.Tape, n int) [2]int {
		return [2]int{t.(sim.SelectTape).ChooseSelect(sim.Decision{Kind: sim.Select, Actor: "a", Occurrence: n, Options: 2}), t.Choose(question)}
	}
	var want [][2]int
	for usual, n := Random(1, reverses), 0; n < decisions; n++ {
		want = append(want, ask(usual, n))
	}
	for _, uses := range []bool{true, false} {
		runs, asked := 0, [][2]int(nil)
		tape := &Watched{Tape: Random(1, reverses)}
		o, trouble := guarded(func(how Run) (o Outcome) {
			defer func() {
				if recover() != nil {
					o.Failure = &sim.Failure{Reason: "ended"}
				}
			}()
			if runs++; uses || runs == 1 {
				if c, err := net.Dial("tcp", "127.0.0.1:1"); err == nil {
					c.Close()
				}
			}
			for asked = nil; len(asked) < decisions; {
				asked = append(asked, ask(how.Tape, len(asked)))
				if runs == 1 {
					time.Sleep(time.Millisecond)
				}
			}
			return Outcome{Hash: 7}
		}, Run{Tape: tape})
		switch {
		case uses && (trouble == nil || trouble.Cause != RealNetwork || len(tape.Choices()) >= decisions):
			t.Errorf("after %d decisions: %+v", len(tape.Choices()), trouble)
		case !uses && (trouble != nil || o.Hash != 7 || o.Failure != nil || !slices.Equal(asked, want) || len(tape.Choices()) <= decisions):
			t.Errorf("%+v, %+v; %d decisions, %d choices are recorded", o, trouble, len(asked), len(tape.Choices()))
		}
	}
}

// TestUnknownAddresses: an address that calls have failed on was a real one unless
// the simulated network has refused it.
func TestUnknownAddresses(t *testing.T) {
	for words, want := range map[string]string{
		"dial tcp 127.0.0.1:6379: connect: connection refused":          "127.0.0.1:6379",
		"dial tcp [::1]:6379: connect: connection refused":              "[::1]:6379",
		"dial unix /run/redis.sock: connect: no such file or directory": "/run/redis.sock",
		"redis: dial tcp: lookup redis on 10.9.0.1:53: no such host":    "redis",
		"dial tcp: lookup redis: no such host":                          "redis",
		"dial tcp 10.0.1.1:6379: connect: connection refused":           "",
		"read tcp 10.0.0.1:40000->10.0.1.1:6379: connection reset":      "",
		"the lock is taken": "",
	} {
		r := &Recording{
			Events:  []sim.Event{{Kind: sim.EventRefused, Detail: "10.0.1.1:6379"}},
			History: model.History{Operations: []model.Operation{{Err: words}}},
		}
		if got := strings.Join(unknown(r), " "); got != want {
			t.Errorf("%s: %q, want %q", words, got, want)
		}
	}
}
