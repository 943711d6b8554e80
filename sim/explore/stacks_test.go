package explore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recordedDump is what runtime.Stack said, with Go 1.26, of a run that a mutex
// blocks (also after one that leaked), that spins, or that waits for a real pipe
// or for a channel from outside of its bubble.
func recordedDump(t testing.TB, name string) string {
	text, err := os.ReadFile(filepath.Join("testdata", "stacks", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestParseStacks(t *testing.T) {
	list := parseStacks(recordedDump(t, "leak_then_mutex"))
	want := []goroutine{
		{state: "running"},
		{state: "chan receive"},
		{state: "chan receive"},
		{state: "synctest.Run", durable: true, bubble: "synctest bubble 2"},
		{state: "chan receive", durable: true, bubble: "synctest bubble 2"},
		{state: "chan receive", durable: true, bubble: "synctest bubble 2"},
		{state: "synctest.Wait", durable: true, bubble: "synctest bubble 2"},
		{state: "chan receive", durable: true, bubble: "synctest bubble 1"},
		{state: "select", durable: true, bubble: "synctest bubble 2"},
		{state: "sync.Mutex.Lock", bubble: "synctest bubble 2"},
	}
	if len(list) != len(want) {
		t.Fatalf("%d goroutines, want %d", len(list), len(want))
	}
	for i, g := range list {
		text := g.text
		if g.text = ""; g != want[i] {
			t.Errorf("goroutine %d is %+v, want %+v", i, g, want[i])
		}
		if !strings.HasPrefix(text, "goroutine ") || strings.Contains(text, "\n\n") {
			t.Errorf("its text is %s", text)
		}
	}
}

func TestHeaders(t *testing.T) {
	for _, test := range []struct {
		line string
		want goroutine
	}{
		{"goroutine 7 [chan receive (durable), 2 minutes, synctest bubble 3]:", goroutine{state: "chan receive", durable: true, bubble: "synctest bubble 3"}},
		{"goroutine 1 [select (no cases), 4 minutes]:", goroutine{state: "select (no cases)"}},
		{"goroutine 5 [select (no cases) (durable), synctest bubble 12]:", goroutine{state: "select (no cases)", durable: true, bubble: "synctest bubble 12"}},
		{"goroutine 9 gp=0xc0000021c0 m=0 mp=0x6d2d40 [running, synctest bubble 1]:", goroutine{state: "running", bubble: "synctest bubble 1"}},
		{"goroutine 9 gp=0xc0000021c0 m=nil [sync.Mutex.Lock, synctest bubble 1]:", goroutine{state: "sync.Mutex.Lock", bubble: "synctest bubble 1"}},
		{"goroutine 17 [syscall, locked to thread]:", goroutine{state: "syscall"}},
	} {
		list := parseStacks(test.line + "\nmain.main()\n")
		if len(list) != 1 {
			t.Errorf("%s: %d goroutines", test.line, len(list))
			continue
		}
		if list[0].text = ""; list[0] != test.want {
			t.Errorf("%s: %+v", test.line, list[0])
		}
	}
	for _, dump := range []string{"", "\n\n", "goroutine", "goroutine x [running]:", "panic: boom\n\nexit status 2"} {
		if list := parseStacks(dump); len(list) > 0 {
			t.Errorf("%q: %+v", dump, list)
		}
	}
}

func TestStalled(t *testing.T) {
	for _, test := range []struct {
		dump     string
		state    string   // empty: not proven
		culprits []string // what is shown
		never    string   // what is not
	}{
		{"mutex", "sync.Mutex.Lock", []string{"goroutine 28 [sync.Mutex.Lock", "sim_test.(*cart).add", "The others of the run:\n\ngoroutine 23", "sim.(*Conn).Read"}, "testing.(*M).Run"},
		{"leak_then_mutex", "sync.Mutex.Lock", []string{"goroutine 34 [sync.Mutex.Lock"}, "synctest bubble 1]"},
		{"spin", "", nil, ""},
	} {
		reason, culprits := stalled(recordedDump(t, test.dump))
		if test.state == "" {
			if reason != "" || culprits != "" {
				t.Errorf("%s: %s", test.dump, reason)
			}
			continue
		}
		if !strings.Contains(reason, "a goroutine is blocked in "+test.state+",") {
			t.Errorf("%s: %s", test.dump, reason)
		}
		for _, part := range test.culprits {
			if !strings.Contains(culprits, part) {
				t.Errorf("%s: no %q among the culprits\n%s", test.dump, part, culprits)
			}
		}
		if strings.Contains(culprits, test.never) {
			t.Errorf("%s: %q among the culprits\n%s", test.dump, test.never, culprits)
		}
		if first, _, _ := strings.Cut(culprits, "\n"); !strings.HasPrefix(first, "goroutine ") || !strings.Contains(first, test.state) {
			t.Errorf("%s: the culprit does not come first\n%s", test.dump, culprits)
		}
	}
	if reason, _ := stalled("goroutine 1 [chan receive]:\nmain.main()\n"); reason != "" {
		t.Errorf("without a bubble: %s", reason)
	}
}

func TestBusy(t *testing.T) {
	if got := busy(recordedDump(t, "spin")); !strings.HasPrefix(got, "goroutine 14 [runnable") || strings.Contains(got, "\n\n") {
		t.Errorf("busy is\n%s", got)
	}
	if got := busy(recordedDump(t, "mutex")); got != "" {
		t.Errorf("nobody is busy, and yet\n%s", got)
	}
}

func TestNewestBubble(t *testing.T) {
	for _, test := range []struct {
		bubbles []string
		want    string
	}{
		{nil, ""},
		{[]string{"", "synctest bubble 9", "synctest bubble 10", ""}, "synctest bubble 10"},
		{[]string{"synctest bubble 10", "synctest bubble 9"}, "synctest bubble 10"},
		{[]string{"synctest bubble 10", "synctest bubble 11"}, "synctest bubble 11"},
	} {
		var list []goroutine
		for _, b := range test.bubbles {
			list = append(list, goroutine{bubble: b})
		}
		if got := newestBubble(list); got != test.want {
			t.Errorf("of %q the newest is %q", test.bubbles, got)
		}
	}
}

// FuzzStacks: whatever a dump looks like, it is read without harm, and a proof
// has its culprits.
func FuzzStacks(f *testing.F) {
	for _, name := range []string{"mutex", "leak_then_mutex", "spin", "pipe", "outside"} {
		f.Add(recordedDump(f, name))
	}
	f.Add("goroutine 1 [, synctest bubble ]:")
	f.Add("goroutine 0 [running, synctest bubble 1]:\n\ngoroutine 00 [, synctest bubble 1]:")
	f.Fuzz(func(t *testing.T, dump string) {
		for _, g := range parseStacks(dump) {
			if !strings.Contains(dump, g.text) || strings.Contains(g.bubble, ", ") || strings.Contains(g.state, ", ") {
				t.Errorf("%+v", g)
			}
		}
		reason, culprits := stalled(dump)
		if (reason == "") != (culprits == "") {
			t.Errorf("reason %q, culprits %q", reason, culprits)
		}
		if reason != "" && busy(dump) != "" {
			t.Error("stalled, and yet somebody can move")
		}
	})
}
