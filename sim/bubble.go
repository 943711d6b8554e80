package sim

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

// This file owns the bubble: it is the only place in the kernel that touches
// package time's clock and the scheduler.

// bubble is the synctest bubble that a run lives in. Unless said otherwise its
// methods are for the conductor and, when that has ended, for the bubble's
// root, which drains the world.
type bubble struct {
	epoch time.Time
	// timer is what the conductor sleeps on. Who wakes it makes the timer fire
	// at once.
	timer  *time.Timer
	asleep atomic.Bool
	// present is the time while the conductor is awake, when no time passes. It
	// is negative while the conductor sleeps.
	present atomic.Int64
}

// now is the virtual time since the bubble's start. Any goroutine of the
// bubble may ask, and does so often: package time's answer takes longer.
func (b *bubble) now() time.Duration {
	if t := b.present.Load(); t >= 0 {
		return time.Duration(t)
	}
	return time.Since(b.epoch)
}

// freeze keeps the present time, for as long as the conductor is awake; thaw
// ends that.
func (b *bubble) freeze() { b.present.Store(int64(b.now())) }
func (b *bubble) thaw()   { b.present.Store(-1) }

// since converts an instant of package time, such as a deadline that a client
// computed with time.Now, into virtual time. Any goroutine may ask.
func (b *bubble) since(t time.Time) time.Duration { return t.Sub(b.epoch) }

// quiesce returns when every other goroutine of the bubble is blocked until
// the conductor fires an event or a timer of package time is due.
func (b *bubble) quiesce() {
	if !goruntime.Alone() {
		synctest.Wait()
	}
}

// wake wakes the conductor, if it sleeps, at this very instant. Any goroutine
// of the bubble may call it.
func (b *bubble) wake() {
	if b.asleep.CompareAndSwap(true, false) {
		b.timer.Reset(0)
	}
}

// sleep lets virtual time pass for d, or until the conductor is woken. Idle is
// called when calls of wake have begun to count, and the conductor stays awake if
// it answers false: a call that came just before must not be missed.
func (b *bubble) sleep(d time.Duration, idle func() bool) {
	b.thaw()
	b.timer.Reset(d)
	b.asleep.Store(true)
	if idle() {
		<-b.timer.C
	}
	b.asleep.Store(false)
}

// sleepTo lets virtual time pass until t, whoever calls wake.
func (b *bubble) sleepTo(t time.Duration) {
	for now := b.now(); now < t; now = b.now() {
		b.sleep(t-now, func() bool { return true })
	}
}

// pause blocks the calling goroutine, whichever it is, for d of the bubble's
// own time; after calls f, in a goroutine of its own, when d has passed. They
// are for the drain, when there are no events any more.
func (b *bubble) pause(d time.Duration)           { time.Sleep(d) }
func (b *bubble) after(d time.Duration, f func()) { time.AfterFunc(d, f) }

// inBubble calls f as the root of a new bubble and returns when all of the
// bubble's goroutines have ended. The error says why that did not go well: they
// cannot end, there can be no bubble, or the race detector has found something.
func inBubble(f func(*bubble)) (err error) {
	err = errRace // synctest fails the test then, which ends the goroutine
	apart(func() {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("%v", p)
			}
		}()
		synctest.Test(new(testing.T), func(*testing.T) {
			b := &bubble{epoch: time.Now(), timer: time.NewTimer(time.Hour)}
			goruntime.Learn(b.epoch)
			defer b.timer.Stop()
			b.thaw()
			f(b)
		})
		err = nil
	})
	return err
}

var errRace = errors.New("the race detector has found a data race; its report is on standard error")

// leftOver is the stacks of the goroutines that are left in the newest bubble,
// which has just ended.
func leftOver() string {
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

// apart calls f in another goroutine and waits for it: f may end its goroutine
// by runtime.Goexit, as t.FailNow does.
func apart(f func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		f()
	}()
	<-over
}
