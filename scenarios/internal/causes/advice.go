package causes

import "github.com/lockpick-dev/lockpick/sim/explore"

// advice says what to do about a trouble.
func advice(t *explore.Trouble) string {
	if text := adviceOn[t.Cause]; text != "" {
		return text
	}
	switch {
	case t.Leaked:
		return "end every goroutine that the lock starts, at the latest when its Locker is closed (io.Closer) or in what c.Cleanup was given;\n" +
			"a call that never returns, even when its context has ended, is one as well. The stacks show where they wait."
	case t.Kind == explore.Stalled:
		return "hold no mutex across I/O or a wait: every other caller then waits for the network, whatever its context says. A channel\n" +
			"with room for one does the same and can be given up: select { case ch <- struct{}{}: ... case <-ctx.Done(): ... }.\n" +
			"If that is not yours to change, this lock cannot be simulated."
	case t.Kind == explore.Nondeterministic:
		return "draw random numbers from c.Rand() or math/rand, not from math/rand/v2's global functions; take the time from c.Clock() or package time;\n" +
			"do no real I/O; go by no map's order; and keep goroutines and state of one run apart from those of the next\n" +
			"(package variables, goroutines started outside of newLock)."
	case t.Kind == explore.Inconclusive:
		return "wait for a channel, a timer or an answer of the simulated store; not in a loop that asks again and again, not for real I/O, and not\n" +
			"for goroutines that belong to no run. If the machine was merely too busy, try again."
	}
	return "the lock, or what it is built on, panicked or ended its process; the stack says where. Its caller would have gone down with it."
}

// adviceOn has what to do about troubles whose cause is known.
var adviceOn = map[explore.Cause]string{
	explore.RealNetwork: "do no real I/O: connect by the client that the test is given (c.Redis(), c.Dial). Real sockets do not lead into the simulation,\n" +
		"and looking up a host name (localhost, too) ends the worker process.",
	explore.StackOverflow: "end the recursion; the stack says where. Its caller would have gone down with it.",
	explore.OutOfMemory:   "take less memory: the process got no more. If the machine was merely short of it, try again with fewer workers (GOMAXPROCS).",
	explore.Killed: "look at the memory that the lock takes, and at the system's log: something outside ended the process. If the machine was merely\n" +
		"short of memory, try again with fewer workers (GOMAXPROCS).",
	explore.Spinning: "wait for a channel, a timer or an answer of the simulated store; not in a loop that asks again and again. The stack says where\n" +
		"it was. If the machine was merely too busy, try again.",
	explore.Allocating: "take less memory in one go: no time passes in a run while code computes. The stack says where it was.",
	explore.TooLarge:   "make runs smaller, by fewer clients or rounds; or wait between requests, if the lock makes so many of them.",
}
