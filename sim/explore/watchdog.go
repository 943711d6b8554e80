package explore

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// This file has all limits of the wall clock: how long a run may stand still, and how
// long a worker may be silent. Neither affects a run.

// lookEvery is the time between two looks of the watchdog at a run.
const lookEvery = 500 * time.Millisecond

const (
	// patience is the number of looks without movement after which a run is given
	// up without proof. A step of a run takes microseconds.
	patience = 20
	// likelyPatience replaces patience if the stacks show the problem, but do not prove
	// it.
	likelyPatience = 6
	// processorLimit is the processor time that a run may take without movement. On a
	// busy machine a run gets less.
	processorLimit = time.Second
	// judgingFactor multiplies both limits for a run that is over and is being
	// judged.
	judgingFactor = 10
	// largeAllocation is the memory that a run must allocate without movement for the report to name memory. A run that
	// has used up its memory collects garbage most of the time, and allocates some 200 MB meanwhile.
	largeAllocation = 64 << 20
)

// maxGoroutines is the maximum number of goroutines of a worker. All of them take part in each step of
// a run.
const maxGoroutines = 30_000

// silence is how long a worker may send nothing before it is ended. It is a variable,
// so that a test need not wait that long.
var silence = 2 * time.Minute

// stillness is how long a worker may send nothing during a run, in which it reports every [lookEvery] that it
// is alive.
var stillness = 30 * time.Second

// grace is how long a worker that has ended, or is being ended, may keep its
// output open.
const grace = 5 * time.Second

// guarded runs the bubble in a goroutine of its own and watches it. A run that provably
// stands still for ever is stalled; one that only does not return is inconclusive. In
// both cases the bubble is abandoned, and the process should make no other run; nor
// should it after a run that has used the real network.
func guarded(run Runner, how Run) (Outcome, *Trouble) {
	before := networked()
	l := &leaving{Tape: how.Tape}
	left := how
	left.Tape = l
	o, trouble := watch(run, left, &l.now)
	if networked() == before {
		return o, trouble
	}
	addrs, uses := withoutNetwork(run, how, trouble != nil)
	switch {
	case uses && trouble != nil:
		return Outcome{}, realNetworkTrouble(dials(addrs), trouble.Stack)
	case uses:
		return Outcome{}, realNetworkTrouble(dials(addrs), "")
	case l.left: // because something else used the network
		how.Tape = &resumed{l.choices, l.selects, how.Tape}
		return watch(run, how, nil)
	}
	return o, trouble
}

// watch is guarded without the check for the real network. Outside, if not nil, is set as soon as the run is seen to
// use it.
func watch(run Runner, how Run, outside *atomic.Bool) (Outcome, *Trouble) {
	var progress, judging atomic.Int64
	done := make(chan Outcome, 1)
	how.Progress, how.Judging = &progress, &judging
	before := networked()
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
		if how.alive != nil {
			how.alive()
		}
		if outside != nil && networked() != before {
			outside.Store(true)
		}
		if t := how.printing.flooded(); t != nil {
			return Outcome{}, t
		}
		if n := runtime.NumGoroutine(); n > maxGoroutines {
			return Outcome{}, &Trouble{Kind: Inconclusive, Cause: Crowded, Stack: mostCommon(n),
				Reason: fmt.Sprintf("the run was given up: its process had %d goroutines, and may have %d", n, maxGoroutines)}
		}
		if now := progress.Load(); now != last {
			last, looks, since, had = now, 0, processorTime(), measured(allocated)
			continue
		}
		looks++
		if looks < 2 {
			continue
		}
		seen := standstill{looks: looks, spent: processorTime() - since, grown: measured(allocated) - had, deep: deepest(), judging: judging.Load(), outside: networked() != before}
		if t := seen.verdict(allStacks()); t != nil {
			return Outcome{}, t
		}
	}
}

// standstill has the watchdog's observations of a run that does not move.
type standstill struct {
	looks   int
	spent   time.Duration // processor time
	grown   uint64        // bytes allocated
	deep    uint64        // bytes of stacks beyond small ones
	judging int64         // the number of its events, if it is over
	outside bool          // it has used the real network
}

// verdict returns the trouble of the run, by the observations and the stacks; nil if it
// may have more time.
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
	case waitsOutside(stacks) && (s.outside || s.looks >= likelyPatience): // reading a pipe does not use the network
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

// unjudged is verdict for a run that is over and is being judged.
func (s standstill) unjudged(stacks string) *Trouble {
	if s.spent < judgingFactor*processorLimit && s.looks < judgingFactor*patience {
		return nil
	}
	return &Trouble{Kind: Inconclusive, Cause: TooLarge, Stack: busy(stacks), Reason: fmt.Sprintf(
		"the run ended after %d events, and judging it was given up after %v of processor time: it is too large", s.judging, s.spent.Round(lookEvery/5))}
}

// The metrics of the process, in bytes: its allocations so far, and the present size of
// its goroutines' stacks.
const (
	allocated = "/gc/heap/allocs:bytes"
	stackSize = "/memory/classes/heap/stacks:bytes"
)

func measured(what string) uint64 {
	sample := []metrics.Sample{{Name: what}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// deepest returns the size of the goroutines' stacks beyond that of usual ones, which shows a deep recursion.
func deepest() uint64 {
	const usual = 8 << 10
	all, small := measured(stackSize), uint64(runtime.NumGoroutine())*usual
	return all - min(all, small)
}

// allStacks returns the stacks of all goroutines, of this one first.
func allStacks() string {
	for size := 1 << 20; ; size *= 2 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size || size >= 1<<28 {
			return string(buf[:n])
		}
	}
}

// silenceParts is the number of parts into which a silence is divided: a process that was itself stopped for a while
// has missed at most one of them.
const silenceParts = 10

// afterSilence calls f when heard has not been called for the given time; stop ends it.
func afterSilence(silence time.Duration, f func()) (heard, stop func()) {
	var mu sync.Mutex
	var timer *time.Timer
	parts, over := 0, false
	restart := func(end bool) {
		mu.Lock()
		defer mu.Unlock()
		parts, over = 0, end
		if end {
			timer.Stop()
		} else {
			timer.Reset(silence / silenceParts)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(silence/silenceParts, func() {
		mu.Lock()
		defer mu.Unlock()
		parts++
		switch {
		case over:
		case parts < silenceParts:
			timer.Reset(silence / silenceParts)
		default:
			f()
		}
	})
	return func() { restart(false) }, func() { restart(true) }
}
