package explore

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"
)

// Cause is the cause of a [Trouble], as far as it is known.
type Cause string

// The known causes. A panic and any other trouble have none.
const (
	// RealNetwork: the code used the real network from inside the simulation.
	RealNetwork Cause = "real-network"
	// StackOverflow: a goroutine's stack exceeded the limit.
	StackOverflow Cause = "stack-overflow"
	// OutOfMemory: the process got no more memory.
	OutOfMemory Cause = "out-of-memory"
	// Killed: the worker process was killed, for example by the operating system
	// when memory ran out.
	Killed Cause = "killed"
	// Spinning: the code ran without waiting for anything.
	Spinning Cause = "spinning"
	// Allocating: the code ran without waiting, and allocated much memory.
	Allocating Cause = "allocating"
	// Stopped: the process did not run, as after SIGSTOP.
	Stopped Cause = "stopped"
	// Printing: the code printed very much.
	Printing Cause = "printing"
	// Crowded: the code started very many goroutines.
	Crowded Cause = "crowded"
	// FailedTest: the code failed the test that it belongs to.
	FailedTest Cause = "failed-test"
	// TooLarge: judging the run took too long.
	TooLarge Cause = "too-large"
)

// Always reports whether the cause is likely in other runs as well, each of which takes long to be given
// up.
func (c Cause) Always() bool {
	return c == RealNetwork || c == Stopped || c == Printing || c == Crowded
}

// maxStack is the maximum size of a goroutine's stack in a worker. It is much less than
// Go's default, so that an endless recursion is a stack overflow before it looks like
// code that spins.
const maxStack = 32 << 20

// limitStack sets maxStack.
func limitStack() { debug.SetMaxStack(maxStack) }

// fatality returns the trouble of a worker that died with the given output.
func fatality(words string, err error) *Trouble {
	t := &Trouble{Kind: Crashed, Stack: words}
	var exit *exec.ExitError
	switch {
	case networking(words) != "" || strings.Contains(words, usedNetwork):
		how := ""
		if in := networking(words); in != "" {
			how = " (in " + in + ")"
		}
		t = realNetworkTrouble(how, words)
		t.Reason += "; the worker died of it: " + firstLine(words, err)
	case strings.Contains(words, "fatal error: stack overflow"):
		t.Cause = StackOverflow
		t.Reason = fmt.Sprintf("the worker died of a stack overflow: a goroutine needed more than %d MB of stack, as in an endless recursion", maxStack>>20)
	case strings.Contains(words, "out of memory") && strings.Contains(words, "fatal error:"):
		t.Cause = OutOfMemory
		t.Reason = "the worker died because it got no more memory: " + firstLine(words, err)
	case errors.As(err, &exit) && killed(exit):
		t.Cause = Killed
		t.Reason = "the worker was killed, as the system does when memory runs out: " + firstLine(words, err)
	default:
		t.Reason = "the worker died: " + firstLine(words, err)
	}
	return t
}

// killed reports whether a process was ended by a signal that it cannot catch.
func killed(exit *exec.ExitError) bool {
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// netFrame is a function of package net in a stack.
var netFrame = regexp.MustCompile(`(?m)^(net\.(?:\(\*?\w+\)\.)?[\w.]+)\(`)

// networking returns the name of the function of package net in which a worker died
// because a channel made in one run was used in another, or outside of any; "" if it
// died otherwise. It looks only at the goroutine that died, which is first.
func networking(words string) string {
	_, stacks, found := strings.Cut(words, "synctest channel from outside bubble")
	if !found {
		return ""
	}
	_, stack, _ := strings.Cut(stacks, "\ngoroutine ")
	stack, _, _ = strings.Cut(stack, "\n\n")
	if frame := netFrame.FindStringSubmatch(stack); frame != nil {
		return frame[1]
	}
	return ""
}
