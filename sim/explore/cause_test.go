package explore

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestFatality: what a worker died of, by its last words and how it ended.
func TestFatality(t *testing.T) {
	killed := exec.Command("sh", "-c", "kill -9 $$").Run()
	ended := errors.New("exit status 2")
	const foreign = "fatal error: send on synctest channel from outside bubble\n\ngoroutine 7 [running, synctest bubble 2]:\n"
	for _, test := range []struct {
		name, words string
		err         error
		cause       Cause
		says        string
	}{
		{"a name", foreign + "net.(*resolverConfig).tryAcquireSema(...)\n\t/usr/local/go/src/net/dnsclient_unix.go:430\n", ended, RealNetwork, "(in net.(*resolverConfig).tryAcquireSema)"},
		{"a function of net", foreign + "net.dial(0x1)\n\tx.go:1\n", ended, RealNetwork, "(in net.dial)"},
		{"while it looked again", usedNetwork + "\npanic: on purpose\n", ended, RealNetwork, "real networking, which the simulation does not control"},
		{"a channel of the lock's own", foreign + "main.(*lock).wake(...)\n\tlock.go:1\n\ngoroutine 9 [chan receive]:\nnet.(*conn).Read(...)\n", ended, "", "the worker died: fatal error: send on"},
		{"a stack overflow", "runtime: goroutine stack exceeds 33554432-byte limit\nfatal error: stack overflow\n", ended, StackOverflow, "32 MB of stack"},
		{"no memory", "fatal error: runtime: out of memory\n", ended, OutOfMemory, "no more memory"},
		{"a panic about memory", "panic: out of memory, says the lock\n", ended, "", "the worker died: panic: out of memory"},
		{"killed", "", killed, Killed, "signal: killed"},
		{"a panic", "panic: on purpose\n", ended, "", "the worker died: panic: on purpose"},
		{"nothing said", "", ended, "", "the worker died: exit status 2"},
	} {
		got, kind := fatality(test.words, test.err), Crashed
		if test.cause == RealNetwork {
			kind = Inconclusive
		}
		if got.Kind != kind || got.Cause != test.cause || !strings.Contains(got.Reason, test.says) || got.Stack != test.words {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

// TestStandstill: what is said of a run that does not move is what was seen of it.
func TestStandstill(t *testing.T) {
	spin := recordedDump(t, "spin")
	const waiting = "goroutine 1 [running]:\nmain.main()\n\ngoroutine 7 [IO wait, synctest bubble 1]:\nnet.(*conn).Read()\n\ngoroutine 8 [running, synctest bubble 1]:\nmain.run()"
	for _, test := range []struct {
		name  string
		dump  string
		seen  standstill
		cause Cause
		says  string
	}{
		{"not long", spin, standstill{looks: 2, spent: processorLimit / 2}, "", ""},
		{"spins", spin, standstill{looks: 2, spent: processorLimit}, Spinning, "code that spins"},
		{"allocates", spin, standstill{looks: 2, spent: processorLimit, grown: 2 << 30}, Allocating, "allocated 2048 MB of memory"},
		{"calls deeper", spin, standstill{looks: 2, spent: processorLimit, grown: 2 << 30, deep: maxStack}, StackOverflow, "stacks grew to 32 MB"},
		{"waits long", spin, standstill{looks: patience}, "", "10s of real time"},
		{"is judged", spin, standstill{looks: 2, spent: 2 * processorLimit, judging: 90_000}, "", ""},
		{"is judged for long", spin, standstill{looks: 2, spent: 10 * time.Second, judging: 90_000}, TooLarge, "ended after 90000 events"},
		{"is judged in a crowd", spin, standstill{looks: 10 * patience, judging: 90_000}, TooLarge, "it is too large"},
		{"waits outside", waiting, standstill{looks: 2}, "", ""},
		{"waits outside for long", waiting, standstill{looks: likelyPatience}, "", "waits for I/O outside of the simulation"},
		{"waits on the real network", waiting, standstill{looks: 2, outside: true}, "", "waits for I/O outside of the simulation"},
		{"has used the real network", spin, standstill{looks: 2, outside: true}, "", ""},
	} {
		got := test.seen.verdict(test.dump)
		switch {
		case got == nil && test.says == "":
		case got == nil:
			t.Errorf("%s: no verdict", test.name)
		case test.says == "" || got.Kind != Inconclusive || got.Cause != test.cause || !strings.Contains(got.Reason, test.says) || got.Stack == "":
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}
