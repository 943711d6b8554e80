package explore

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// This file owns the wall clock: how long a run may stand still, and how long a
// worker may be silent. Neither affects a run.

// lookEvery is how often the watchdog looks whether a run moves.
const lookEvery = 500 * time.Millisecond

const (
	// patience is the number of looks without movement after which a run is given
	// up without proof. A step of a run takes microseconds.
	patience = 20
	// likelyPatience is that number if the stacks show the problem, short of a
	// proof.
	likelyPatience = 6
	// processorLimit is the processor time that a run may take without movement: on
	// a machine that is merely busy it gets less.
	processorLimit = time.Second
	// judgingFactor multiplies both limits for a run that is over and is being
	// judged.
	judgingFactor = 10
	// largeAllocation is the memory that a run has to allocate without movement to
	// be reported for it.
	largeAllocation = 256 << 20
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
// process should not run another. Nor should it after one that has used the real
// network.
func guarded(run Runner, how Run) (Outcome, *Trouble) {
	before := networked()
	o, trouble := watch(run, how)
	return withoutNetwork(run, how, before, o, trouble)
}

// watch is guarded without the check for the real network.
func watch(run Runner, how Run) (Outcome, *Trouble) {
	var progress, judging atomic.Int64
	done := make(chan Outcome, 1)
	how.Progress, how.Judging = &progress, &judging
	go func() { done <- run(how) }()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	last, looks, since, had := int64(-1), 0, processorTime(), measured(allocated)
	for {
		select {
		case o := <-done:
			return o, nil
		case <-ticker.C:
		}
		if now := progress.Load(); now != last {
			last, looks, since, had = now, 0, processorTime(), measured(allocated)
			continue
		}
		looks++
		if looks < 2 {
			continue
		}
		seen := standstill{looks: looks, spent: processorTime() - since, grown: measured(allocated) - had, deep: measured(stackSize), judging: judging.Load()}
		if t := seen.verdict(allStacks()); t != nil {
			return Outcome{}, t
		}
	}
}

// standstill is what was seen of a run that does not move.
type standstill struct {
	looks   int
	spent   time.Duration // of the process's time
	grown   uint64        // bytes that it has allocated
	deep    uint64        // bytes of all stacks
	judging int64         // its events, if it is over
}

// verdict judges the run by that and the stacks; nil if it may have some more time.
func (s standstill) verdict(stacks string) *Trouble {
	reason, culprits, stranger := standing(stacks)
	switch {
	case reason != "" && stranger == "":
		return &Trouble{Kind: Stalled, Reason: reason, Stack: culprits}
	case reason != "" && s.looks >= likelyPatience:
		reason += ". That is no proof: a goroutine outside of the run might still wake it"
		return &Trouble{Kind: Inconclusive, Reason: reason, Stack: culprits + "\n\nOutside of the run:\n\n" + stranger}
	case s.judging > 0:
		return s.unjudged(stacks)
	case waitsOutside(stacks) && s.looks >= likelyPatience: // a pipe is no network
		return &Trouble{Kind: Inconclusive, Stack: busy(stacks),
			Reason: "the run was given up: it waits for I/O outside of the simulation, such as a real socket"}
	case s.spent >= processorLimit && s.deep >= maxStack/2:
		return &Trouble{Kind: Inconclusive, Cause: StackOverflow, Stack: busy(stacks), Reason: fmt.Sprintf(
			"the run was given up after %v of processor time without progress: its stacks grew to %d MB, as in an endless recursion",
			s.spent.Round(lookEvery/5), s.deep>>20)}
	case s.spent >= processorLimit && s.grown >= largeAllocation:
		return &Trouble{Kind: Inconclusive, Cause: Allocating, Stack: busy(stacks), Reason: fmt.Sprintf(
			"the run was given up after %v of processor time without progress: it allocated %d MB of memory",
			s.spent.Round(lookEvery/5), s.grown>>20)}
	case s.spent >= processorLimit:
		return &Trouble{Kind: Inconclusive, Cause: Spinning, Stack: busy(stacks), Reason: fmt.Sprintf(
			"the run was given up after %v of processor time without progress: code that spins, without I/O or a wait",
			s.spent.Round(lookEvery/5))}
	case s.looks >= patience:
		return &Trouble{Kind: Inconclusive, Stack: busy(stacks), Reason: fmt.Sprintf(
			"the run was given up after %v of real time without progress: code that spins, or a machine that is too busy", lookEvery*time.Duration(patience))}
	}
	return nil
}

// unjudged is the verdict on a run that is over and is being judged.
func (s standstill) unjudged(stacks string) *Trouble {
	if s.spent < judgingFactor*processorLimit && s.looks < judgingFactor*patience {
		return nil
	}
	return &Trouble{Kind: Inconclusive, Cause: TooLarge, Stack: busy(stacks), Reason: fmt.Sprintf(
		"the run ended after %d events, and judging it was given up after %v of processor time: it is too large", s.judging, s.spent.Round(lookEvery/5))}
}

// What is measured of the process, in bytes: what it has allocated so far, and how
// large its goroutines' stacks are now.
const (
	allocated = "/gc/heap/allocs:bytes"
	stackSize = "/memory/classes/heap/stacks:bytes"
)

func measured(what string) uint64 {
	sample := []metrics.Sample{{Name: what}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
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
// that time; stop ends it.
func afterSilence(silence time.Duration, f func()) (heard, stop func()) {
	t := time.AfterFunc(silence, f)
	return func() { t.Reset(silence) }, func() { t.Stop() }
}
