// Package bubble is the synctest bubble that a run lives in. It alone in the kernel touches package
// time's clock and the scheduler.
package bubble

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

// Bubble is the bubble of a run. Unless said otherwise its methods are for the
// conductor and, when that has ended, for the bubble's root, which drains the
// world.
type Bubble struct {
	epoch time.Time
	ahead time.Duration // of the clocks that have their time from Time
	// timer is what the conductor sleeps on. Who wakes it makes the timer fire
	// at once.
	timer  *time.Timer
	asleep atomic.Bool
	// present is the time while the conductor is awake, when no time passes. It
	// is negative while the conductor sleeps, unless it knows when it will wake.
	present atomic.Int64
	behind  bool        // package time is
	early   bool        // a goroutine was awake while it was
	resting atomic.Bool // the conductor waits in Quiesce
	// Parks, if not nil, is called by the conductor before it lets others run, and Passes before that if time may pass: then all others
	// are blocked.
	Parks, Passes func()
}

func (b *Bubble) parks() {
	if b.Parks != nil {
		b.Parks()
	}
}

func (b *Bubble) passes() {
	if b.Passes != nil {
		b.Passes()
	}
}

// Now returns the virtual time since the bubble's start. Any goroutine of the
// bubble may ask, and does so often: package time's answer takes longer.
func (b *Bubble) Now() time.Duration {
	if t := b.present.Load(); t >= 0 {
		return time.Duration(t)
	}
	return time.Since(b.epoch)
}

// Freeze keeps the present time, for as long as the conductor is awake.
func (b *Bubble) Freeze() { b.present.Store(int64(b.Now())) }

// Thaw ends what Freeze began.
func (b *Bubble) Thaw() { b.CatchUp(); b.present.Store(-1) }

// Since converts an instant of package time, such as a deadline that a client
// computed with time.Now, into virtual time. Any goroutine may ask.
func (b *Bubble) Since(t time.Time) time.Duration { return t.Sub(b.epoch) }

// Time returns the instant of package time that is t after the bubble's start, less what package time's clock
// is ahead. Any goroutine may ask.
func (b *Bubble) Time(t time.Duration) time.Time { return b.epoch.Add(t - b.ahead) }

// Quiesce returns when every other goroutine of the bubble is blocked until
// the conductor fires an event or a timer of package time is due.
func (b *Bubble) Quiesce() {
	if !goruntime.Alone() {
		b.early = b.early || b.behind
		b.resting.Store(true)
		b.parks()
		synctest.Wait()
		b.resting.Store(false)
	}
}

// WokenEarly reports whether a goroutine has been woken while package time was behind, so that it
// may have seen an earlier time than the present. Nobody may wake one before CatchUp.
func (b *Bubble) WokenEarly() bool { return b.early }

// InCharge reports whether all others, the conductor in Quiesce among them, wait
// for the calling goroutine to block. It may then do what the conductor would do
// as soon as it blocks. Any goroutine of the bubble may ask.
func (b *Bubble) InCharge() bool { return goruntime.Alone() && b.resting.Load() }

// Wake wakes the conductor, if it sleeps, at this very instant. Any goroutine
// of the bubble may call it.
func (b *Bubble) Wake() {
	if b.asleep.Load() && b.asleep.CompareAndSwap(true, false) {
		b.timer.Reset(0)
	}
}

// Sleep lets virtual time pass for d, or until a goroutine that a timer of package
// time has woken, or that was awake, has done something: until idle answers false.
//
// No goroutine notices that time has passed unless it is woken. So if no timer is due
// by then, package time stays behind, until CatchUp.
func (b *Bubble) Sleep(d time.Duration, idle func() bool) {
	for due := b.Now() + d; ; {
		if _, known := goruntime.NextTimer(); !known {
			b.sleepUntilWoken(d, idle)
			return
		}
		b.Quiesce()
		if !idle() {
			return
		}
		next, _ := goruntime.NextTimer()
		if b.Since(next) > due {
			b.behind = b.behind || b.Now() < due
			b.present.Store(int64(due))
			return
		}
		b.CatchUp()
		b.present.Store(int64(b.Since(next)))
		b.passes()
		b.parks()
		time.Sleep(time.Until(next))
	}
}

// CatchUp lets package time pass until the present. The conductor calls it before it
// may wake a goroutine. Where package time is not behind, any goroutine may call it.
func (b *Bubble) CatchUp() {
	if b.behind {
		b.behind = false
		time.Sleep(b.Now() - time.Since(b.epoch))
	}
}

// sleepUntilWoken is Sleep where it is not known whether timers are due. Idle is called
// when calls of Wake have begun to count: one that came just before must not be missed.
func (b *Bubble) sleepUntilWoken(d time.Duration, idle func() bool) {
	b.Thaw()
	b.Quiesce()
	b.passes()
	b.timer.Reset(d)
	b.asleep.Store(true)
	if idle() {
		b.parks()
		<-b.timer.C
	}
	b.asleep.Store(false)
}

// SleepTo lets time pass until t, package time's as well, even if Wake is called.
func (b *Bubble) SleepTo(t time.Duration) {
	for now := b.Now(); now < t; now = b.Now() {
		b.Sleep(t-now, func() bool { return true })
	}
	b.Thaw()
}

// Pause blocks the calling goroutine, whichever it is, for d of the bubble's
// own time. It is for the drain, when there are no events any more.
func (b *Bubble) Pause(d time.Duration) { time.Sleep(d) }

// After calls f, in a goroutine of its own, when d has passed. It is for the drain as well.
func (b *Bubble) After(d time.Duration, f func()) { time.AfterFunc(d, f) }

// Run calls f as the root of a new bubble and returns when all of the
// bubble's goroutines have ended. The error says why that did not go well: they
// cannot end, there can be no bubble, or the race detector has found something. Package time's
// clock is ahead of what Time answers by so much.
//
// In the bubble crypto/rand draws from the seed, also for code that has kept a copy of its Reader, such as google/uuid. That is possible in
// test binaries, and in programs that are linked with -X testing.testBinary=1.
func Run(seed uint64, ahead time.Duration, f func(*Bubble)) (err error) {
	goruntime.Learn()
	end, err := goruntime.Begin()
	if err != nil {
		return err
	}
	defer end()
	err = errRace // synctest fails the test then, which ends the goroutine
	Apart(func() {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("%v", p)
			}
		}()
		synctest.Test(new(testing.T), func(t *testing.T) {
			seedCrypto(t, seed)
			time.Sleep(ahead)
			b := &Bubble{epoch: time.Now(), ahead: ahead, timer: time.NewTimer(time.Hour)}
			defer b.timer.Stop()
			b.Thaw()
			f(b)
		})
		err = nil
	})
	return err
}

var errRace = errors.New("the race detector has found a data race; its report is on standard error")

// LeftOver returns the stacks of the goroutines that are left in the newest bubble,
// which has just ended.
func LeftOver() string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var stacks []string
	newest := 0
	for _, stack := range strings.Split(string(buf), "\n\n") {
		header, _, _ := strings.Cut(stack, "\n")
		_, name, found := strings.Cut(header, "synctest bubble ")
		number, err := strconv.Atoi(strings.TrimSuffix(name, "]:"))
		if !found || err != nil || number < newest {
			continue
		}
		if number > newest {
			stacks, newest = nil, number
		}
		stacks = append(stacks, stack)
	}
	return strings.Join(stacks, "\n\n")
}

// Apart calls f in another goroutine and waits for it: f may end its goroutine
// by runtime.Goexit, as t.FailNow does.
func Apart(f func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		f()
	}()
	<-over
}
