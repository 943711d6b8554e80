package explore

import (
	"runtime"
	"sync/atomic"
	"time"
)

// This file owns the wall clock: how long a run may stand still before
// somebody looks, and how long a worker may be silent. Neither has any part in
// what a run does.

// lookEvery is how often the watchdog looks whether a run moves.
const lookEvery = 500 * time.Millisecond

const (
	// patience is how many looks without any movement it takes to give up
	// without proof. A step of a run takes microseconds.
	patience = 20
	// soon is how many it takes where the stacks say what is wrong, short of
	// proving it.
	soon = 6
	// labour is how much processor time a run may take without any movement: a
	// machine that is merely busy does not give it so much.
	labour = time.Second
)

// silence is how long a worker may say nothing before it is ended. It is a
// variable, so that a test need not wait as long.
var silence = 2 * time.Minute

// grace is how long a worker that has ended, or is being ended, may keep its
// output open.
const grace = 5 * time.Second

// guarded runs the bubble in a goroutine of its own and watches it. A run that
// can be proven to stand still for ever is stalled; one that merely does not
// come back is inconclusive. In both cases the bubble is abandoned, and the
// process should not run another.
func guarded(run Runner, how Run) (Outcome, *Trouble) {
	var progress atomic.Int64
	done := make(chan Outcome, 1)
	how.Progress = &progress
	go func() { done <- run(how) }()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	last, looks, since := int64(-1), 0, processorTime()
	for {
		select {
		case o := <-done:
			return o, nil
		case <-ticker.C:
		}
		if now := progress.Load(); now != last {
			last, looks, since = now, 0, processorTime()
			continue
		}
		looks++
		if looks < 2 {
			continue
		}
		if t := verdict(allStacks(), looks, processorTime()-since); t != nil {
			return Outcome{}, t
		}
	}
}

// verdict is what the stacks say of a run that has not moved for so many looks,
// in which the process took so much time; nil if it may have some more.
func verdict(stacks string, looks int, spent time.Duration) *Trouble {
	reason, culprits, stranger := standing(stacks)
	switch {
	case reason != "" && stranger == "":
		return &Trouble{Kind: Stalled, Reason: reason, Stack: culprits}
	case reason != "" && looks >= soon:
		reason += ". That is no proof, since a goroutine that belongs to no run might still let it go on"
		return &Trouble{Kind: Inconclusive, Reason: reason, Stack: culprits + "\n\nOutside of the run:\n\n" + stranger}
	case outward(stacks) && looks >= soon:
		reason = "the run waits for I/O outside of the simulation, such as a real socket, and was given up"
	case spent >= labour:
		reason = "the run stood at one instant while it took " + spent.Round(lookEvery/5).String() +
			" of processor time, and was given up: code that spins, without I/O and without waiting for anything"
	case looks >= patience:
		reason = "the run stood at one instant for " + (lookEvery * time.Duration(patience)).String() +
			" of real time, and was given up: code that spins, or a machine that is too busy"
	default:
		return nil
	}
	return &Trouble{Kind: Inconclusive, Reason: reason, Stack: busy(stacks)}
}

// allStacks are the stacks of all goroutines, of this one first.
func allStacks() string {
	for size := 1 << 20; ; size *= 2 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size || size >= 1<<28 {
			return string(buf[:n])
		}
	}
}

// afterSilence calls f unless the returned function is called again within
// the time that a worker may be silent; stop ends it.
func afterSilence(f func()) (heard, stop func()) {
	t := time.AfterFunc(silence, f)
	return func() { t.Reset(silence) }, func() { t.Stop() }
}
