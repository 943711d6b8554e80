package causes

import (
	"strings"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Advice describes how to fix a trouble.
func Advice(t *explore.Trouble) string {
	if text := adviceOn[t.Cause]; text != "" {
		return text
	}
	switch {
	case t.Leaked:
		return "end every goroutine that the lock starts, at the latest when its Locker is closed (io.Closer) or in a c.Cleanup function;\n" +
			"a call that does not return after its context has ended counts as well. A run waits for them for five minutes of virtual time,\n" +
			"or for ten leases if these are longer. The stacks show where they wait."
	case strings.Contains(t.Reason, "from outside bubble"):
		return "use what belongs to a run (its clients, channels, timers) in the goroutines of that run alone: not in a finalizer or a runtime.AddCleanup,\n" +
			"which the garbage collector runs, and not in a goroutine that TestMain, init or an earlier run has started. The stack shows which it was."
	case t.Kind == explore.Refused:
		return "there is no verdict on such a run, neither for the code nor against it. If the code can do without that request, write it\n" +
			"another way; the documentation of the simulated server (package simredis, simmysql, …) lists what it supports. Otherwise please report it,\n" +
			"with the request. The stack has the calls that led to it."
	case t.Kind == explore.Stalled:
		return "hold no mutex across I/O or a wait: every other caller then waits for the network, even after its context has ended. A channel\n" +
			"of capacity 1 excludes as well, and can be abandoned: select { case ch <- struct{}{}: ... case <-ctx.Done(): ... }.\n" +
			"If you cannot change that code, this lock cannot be simulated."
	case t.Kind == explore.Nondeterministic:
		text := "draw random numbers from c.Rand() or math/rand; take the time from c.Clock() or package time; do no real I/O;\n" +
			"do not depend on the order of a map; and share no goroutines or state between runs\n" +
			"(package variables, goroutines started outside of newLock)."
		if !explore.Exact() {
			text += "\nIf it depends on the order of goroutines, timers or selects, the flag " + explore.Overlay + " of go build and go test makes that exact."
		}
		return text
	case t.Kind == explore.Inconclusive:
		return "wait for a channel, a timer or an answer of the simulated store; do not poll in a busy loop, and do not wait for real I/O or\n" +
			"for goroutines outside the run. If the machine was only too busy, try again."
	}
	if !strings.Contains(t.Stack, "goroutine ") {
		return "the lock, or a library that it uses, ended its process without a stack: look for os.Exit, log.Fatal and the like. In production its caller would end, too."
	}
	return "the lock, or a library that it uses, panicked or ended its process; the stack says where. In production its caller would end, too."
}

// adviceOn has the advice for known causes.
var adviceOn = map[explore.Cause]string{
	explore.RealNetwork: "do no real I/O: connect by a client of the store's package, or by c.Dial. Real sockets do not reach the simulation,\n" +
		"and looking up a host name (localhost, too) ends the worker process.",
	explore.StackOverflow: "end the recursion; the stack says where. In production its caller would end, too.",
	explore.OutOfMemory:   "use less memory: the process ran out of it. If the machine was only short of memory, try again with fewer workers (GOMAXPROCS).",
	explore.Killed: "check the memory that the lock uses, and the system's log: the process was killed from outside. If the machine was only\n" +
		"short of memory, try again with fewer workers (GOMAXPROCS).",
	explore.Spinning: "wait for a channel, a timer or an answer of the simulated store; do not poll in a busy loop. The stack says where\n" +
		"it was. If the machine was only too busy, try again.",
	explore.Allocating: "allocate less at once: no virtual time passes while code computes. The stack says where it was.",
	explore.Stopped: "do not stop the process (SIGSTOP, a debugger): the simulation has its time, and a pause of a client is a fault that scenarios inject.\n" +
		"If the machine was only too busy, try again.",
	explore.Printing: "print less: a search makes thousands of runs.",
	explore.Crowded:  "start fewer goroutines at once: each takes part in every step of a run.",
	explore.FailedTest: "return errors from the calls of the lock; they are recorded, and judged. t.Error, t.Fatal, assertions and data races in code of\n" +
		"a run fail the test, as they do outside of one. A fault that the scenario injects may be the cause.",
	explore.TooLarge: "make runs smaller, with fewer clients or rounds; or wait between requests, if the lock makes many.",
}
