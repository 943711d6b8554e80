package goruntime

import (
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
)

// thread is what the runtime keeps for a thread, its m, to make choices of its own: which ready case a select takes,
// which of two timers of one instant fires first, the seed of a map, what the functions of math/rand/v2 return.
type thread struct {
	cheap     *uint64
	chacha8   *chacha8
	pcs       *pcCache
	profileHz *int32 // how often its profile is sampled
}

// chacha8 is the State of the runtime's package chacha8rand.
type chacha8 struct {
	buf     [32]uint64
	seed    [4]uint64
	i, n, c uint32
}

// pcCache is the runtime's cache of what its tables say of an instruction. It evicts at random, and does nothing while it is in use.
type pcCache struct {
	entries [16]pcEntry
	inUse   int
}

type pcEntry struct {
	pc       uintptr
	off, val uint32
	from     uintptr
}

// The states of the cheap generator that [Draws.Set] chooses from. The next draws of sourceOrder are all low, which
// makes a select that receives try its cases in the order of the source, and those of reverseOrder are all high; so the order does
// not depend on how many draws came before, up to orderedDraws. Nor is any of the next quietDraws a multiple of 1,024, at which
// the runtime would change a cache of type assertions, and draw once more.
const (
	sourceOrder  = 0xb5d437e95b52feee
	reverseOrder = 0x6728b2252043f71e
	orderedDraws = 16
	quietDraws   = 479
)

// The constants of the cheap generator, wyrand.
const (
	cheapStep = 0xa0761d6478bd642f
	cheapMix  = 0xe7037ed1a0b428db
)

// cheapDraw returns what the cheap generator draws in a state.
func cheapDraw(state uint64) uint32 {
	high, low := bits.Mul64(state, state^cheapMix)
	return uint32(high ^ low)
}

// Orders are those in which things of one step happen.
type Orders struct {
	// Reversed is set if selects try their cases in the opposite of the source's order.
	Reversed bool
	// Behind says which of the next goroutines that become runnable go to the end of the scheduler's queue, and not to its front: the lowest
	// bit is the next one's, and the first follows the last. It counts where the program is [Exact].
	Behind uint64
}

// SelectsKnown reports whether Reversed has an effect.
func SelectsKnown() bool { return DrawsKnown || Exact() }

// Draws sets what the runtime draws in a run. The zero value is ready to use.
type Draws struct{ marked []*pcCache } // the caches that the last Set has marked

// Set sets what the runtime draws next in the run if the program is [Exact], and otherwise on the calling goroutine's thread, where it is
// known how (see [DrawsKnown]). The seed is that of math/rand/v2's functions and of maps. Goroutines that the caller wakes run on the same
// thread as long as there is one processor (GOMAXPROCS), unless a system call, also one outside of the run, lasts for so long that it moves them to
// another. Set sets the same there, so selects are the same, and numbers but for those that were drawn before.
//
// Set also marks the thread's cache of instructions as in use, so that walks of stacks draw nothing until End: how many walks a run makes
// depends on earlier runs of the process, since a stack grows once. A thread that a CPU profile samples keeps its cache: the runtime ends the
// program if a sample uses the cache while two others do.
//
//go:norace
func (d *Draws) Set(seed uint64, o Orders) {
	if Exact() {
		overlaid.reversed, overlaid.behind = 0, o.Behind
		if o.Reversed {
			overlaid.reversed = 1
		}
		overlaid.random.reseed(seed)
		return
	}
	if !DrawsKnown {
		return
	}
	order := uint64(sourceOrder)
	if o.Reversed {
		order = reverseOrder
	}
	d.End()
	m := readM()
	d.set(m, order, seed)
	if runtime.GOMAXPROCS(0) > 1 {
		return
	}
	known := false
	for _, t := range *seen.Load() {
		if known = known || t == m; t != m {
			d.set(t, order, seed)
		}
	}
	if !known {
		see(m)
	}
}

// set sets what a thread draws next.
//
//go:norace
func (d *Draws) set(t thread, order, seed uint64) {
	*t.cheap = order
	t.chacha8.reseed(seed)
	if *t.profileHz == 0 {
		t.pcs.inUse = 1
		d.marked = append(d.marked, t.pcs)
	}
}

// seen are the threads on which Set was called, or which [beginThreads] began.
var seen atomic.Pointer[[]thread]

func see(t thread) {
	list := append(slices.Clip(*seen.Load()), t)
	seen.Store(&list)
}

// beginThreads begins threads that wait for something to do, so that a system call moves a run to one that has been seen.
func beginThreads() {
	const spare = 2
	begun, end := make(chan thread), make(chan struct{})
	for range spare {
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread() // and the thread stays
			begun <- readM()
			<-end
		}()
	}
	seen.Store(&[]thread{readM(), <-begun, <-begun})
	close(end)
}

// End leaves the draws to the runtime.
//
//go:norace
func (d *Draws) End() {
	for _, cache := range d.marked {
		cache.inUse = 0
	}
	d.marked = d.marked[:0]
}

// reseed sets the numbers that follow.
//
//go:norace
func (s *chacha8) reseed(seed uint64) {
	for i := range s.seed {
		seed += 0x9e3779b97f4a7c15 // as splitmix64
		x := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		s.seed[i] = x ^ x>>31
	}
	s.i, s.n, s.c = uint32(len(s.buf)), uint32(len(s.buf)), 0 // the next draw makes the numbers
}

// Undrawn returns a function that takes back what the calling goroutine draws until it calls that. So what is done only once in a
// process leaves no mark on the draws of the run that happens to do it.
//
//go:norace
func Undrawn() (restore func()) {
	if Exact() {
		random := overlaid.random
		return func() { overlaid.random.restore(random) }
	}
	if !DrawsKnown {
		return func() {}
	}
	m := readM()
	cheap := *m.cheap
	return func() { m.restore(cheap) }
}

//go:norace
func (s *chacha8) restore(to chacha8) { *s = to }

//go:norace
func (m thread) restore(cheap uint64) {
	if now := readM(); now.cheap == m.cheap { // the goroutine may have gone on on another
		*m.cheap = cheap
	}
}

// DrawsKnown reports whether it is known what the runtime draws next, and how to set it. Only reading shows that.
var DrawsKnown = mKnown && drawsShow()

func init() {
	if DrawsKnown {
		beginThreads()
	}
}

// drawsShow reports whether the places show what the runtime does when it draws.
func drawsShow() bool {
	right := make(chan bool)
	go func() {
		runtime.LockOSThread() // and the thread ends with the goroutine, but for what is wrong with it
		defer runtime.UnlockOSThread()
		right <- chacha8Shows() && cheapShows() && pcsShow()
	}()
	return <-right
}

// chacha8Shows reports whether math/rand/v2 returns what is read.
func chacha8Shows() bool {
	s := readM().chacha8
	for range 100 { // more than it makes at once
		if s.i > s.n || s.n > uint32(len(s.buf)) || s.c%4 != 0 || s.c >= 16 {
			return false
		}
		i, known := s.i, s.i < s.n
		if known {
			want := s.buf[i]
			if got := rand.Uint64(); got != want || s.i != i+1 {
				return false
			}
			continue
		}
		_ = rand.Uint64() // makes others
		if s.i != 1 {
			return false
		}
	}
	return true
}

// cheapShows reports whether each select changes the state of the cheap generator by some draws.
func cheapShows() bool {
	one, two := make(chan bool, 1), make(chan bool, 1)
	state := readM().cheap
	for range 10 {
		before := *state
		one <- true
		two <- true
		select {
		case <-one:
			<-two
		case <-two:
			<-one
		}
		if n := (*state - before) * cheapInverse; n < 2 || n > 1000 {
			return false
		}
	}
	return true
}

// cheapInverse makes of a difference of states the number of draws between them.
var cheapInverse = func() uint64 {
	x := uint64(cheapStep) // right in its last three bits
	for range 5 {
		x *= 2 - cheapStep*x
	}
	return x
}()

// pcsShow reports whether the cache has instructions of the program, and nobody is using it.
func pcsShow() bool {
	var stack [8]uintptr
	runtime.Callers(0, stack[:])
	c := readM().pcs
	for i := range c.entries {
		if pc := c.entries[i].pc; pc != 0 && runtime.FuncForPC(pc) == nil {
			return false
		}
	}
	return c.inUse == 0
}
