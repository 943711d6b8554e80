package sim_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/sim"
)

// within runs one workload of a process with the given clock.
func within(t tester, o sim.ProcessOptions, f func(w *sim.World, p *sim.Process)) sim.Report {
	t.Helper()
	o.Host = "10.0.0.1"
	return run(t, nil, func(w *sim.World) {
		p := w.NewProcess("c1", o)
		p.Go(func() { f(w, p) })
	})
}

func TestClockReadings(t *testing.T) {
	tests := []struct {
		name   string
		offset time.Duration
		rate   int64
		jump   time.Duration
		want   time.Duration // what it shows after a second, from the epoch
	}{
		{"true", 0, 0, 0, time.Second},
		{"ahead", time.Hour, 0, 0, time.Hour + time.Second},
		{"behind", -ms, 0, 0, time.Second - ms},
		{"fast", 0, 1000, 0, 1001 * ms},
		{"slow", 0, -500_000, 0, 500 * ms},
		{"nearly still", 0, -999_999, 0, us},
		{"jumped ahead", ms, 0, 2 * ms, 1003 * ms},
		{"jumped back", 0, 1000, -2 * time.Second, -999 * ms},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run(t, nil, func(w *sim.World) {
				p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1", Offset: test.offset, Rate: test.rate})
				c := p.Clock()
				c.Jump(test.jump)
				if got := c.At(time.Second).Sub(epoch); got != test.want {
					t.Errorf("it shows %v, want %v", got, test.want)
				}
				if got := c.When(epoch.Add(test.want)); got > time.Second || !c.At(got).Equal(epoch.Add(test.want)) {
					t.Errorf("it shows that at %v", got)
				}
				now := c.Now()
				if c.Since(now.Add(-ms)) != ms || c.Until(now.Add(ms)) != ms {
					t.Error("Since and Until do not go by Now")
				}
			})
		})
	}
}

// TestWhen: When is the first nanosecond at which the clock shows that time.
// TestMonotonic: the clock that measures runs at the rate of the process's clock, also after a restart, and never jumps.
func TestMonotonic(t *testing.T) {
	within(t, sim.ProcessOptions{Offset: time.Hour, Rate: 250_000}, func(w *sim.World, p *sim.Process) {
		c, begin := p.Monotonic(), p.Monotonic().Now()
		p.Clock().Jump(-time.Minute)
		p.Step("wait", 5*ms) // by its own clock
		if d := c.Since(begin); d != 5*ms {
			t.Errorf("%v passed, want 5ms", d)
		}
	})
}

func TestWhen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		offset := time.Duration(rapid.Int64Range(-1e12, 1e12).Draw(t, "offset"))
		rate := rapid.Int64Range(-999_000, 5_000_000).Draw(t, "rate")
		after := time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "after"))
		run(t, nil, func(w *sim.World) {
			c := w.NewTimepiece(offset, rate)
			target := epoch.Add(offset + after)
			when := c.When(target)
			if c.At(when).Before(target) {
				t.Fatalf("at %v it shows %v before %v", when, target.Sub(c.At(when)), target)
			}
			if when > 0 && !c.At(when-1).Before(target) {
				t.Fatalf("it shows %v before %v", target, when)
			}
		})
	})
}

func TestImpossibleClock(t *testing.T) {
	for _, rate := range []int64{-1_000_000, math.MinInt64} {
		r := sim.Run(sim.Config{}, func(w *sim.World) { w.NewTimepiece(0, rate) })
		if r.Failure == nil || !strings.Contains(r.Failure.Reason, "would not run forward") {
			t.Errorf("rate %d: %+v", rate, r.Failure)
		}
	}
}

// TestTimersKeepTheirClock: no timer fires before its time has passed on the
// clock that it was set on, nor much later.
func TestTimersKeepTheirClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(-999_000, 1_000_000).Draw(t, "rate")
		d := time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "d"))
		how := rapid.SampledFrom([]string{"timer", "sleep", "step", "ticker", "after", "func"}).Draw(t, "how")
		within(t, sim.ProcessOptions{Rate: rate}, func(_ *sim.World, p *sim.Process) {
			c := p.Clock()
			start := c.Now()
			switch how {
			case "timer":
				<-c.NewTimer(d).Chan()
			case "after":
				<-c.After(d)
			case "ticker":
				d = max(d, 1)
				<-c.NewTicker(d).Chan()
			case "func":
				done := make(chan bool)
				c.AfterFunc(d, func() { close(done) })
				<-done
			case "sleep":
				c.Sleep(d)
			case "step":
				p.Step("x", d)
			}
			// It shows whole windows, which are longer on a fast clock.
			if took := c.Since(start); took < d || took > d+window+window*time.Duration(rate)/1e6+1 {
				t.Errorf("%s of %v took %v on its own clock, which runs %d ppm fast", how, d, took, rate)
			}
		})
	})
}

// off keeps what a test does away from the instants at which timers of whole
// milliseconds fire: by more than a window, since that is how exact the timers
// of a process's clock are.
const off = 37 * us

// twins are a timer of the process's clock and one of package time.
type twins struct {
	ours, real interface {
		Stop() bool
		Reset(time.Duration) bool
	}
	ourChan, realChan <-chan time.Time
	ourCalls, calls   atomic.Int32
}

// TestTimersAreLikePackageTimes plays the same at random with both.
func TestTimersAreLikePackageTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.IntRange(0, 3).Draw(t, "d")) * ms
		isFunc := rapid.Bool().Draw(t, "AfterFunc")
		ops := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 15).Draw(t, "ops")
		within(t, sim.ProcessOptions{}, func(_ *sim.World, p *sim.Process) {
			x := &twins{}
			if isFunc {
				x.ours, x.real = p.Clock().AfterFunc(d, func() { x.ourCalls.Add(1) }), time.AfterFunc(d, func() { x.calls.Add(1) })
			} else {
				ours, real := p.Clock().NewTimer(d), time.NewTimer(d)
				x.ours, x.real, x.ourChan, x.realChan = ours, real, ours.Chan(), real.C
			}
			time.Sleep(off)
			for i, op := range ops {
				if what := x.play(op); what != "" {
					t.Errorf("operation %d: %s", i, what)
					return
				}
			}
		})
	})
}

func (x *twins) play(op int) string {
	switch {
	case op < 2:
		if a, b := x.ours.Stop(), x.real.Stop(); a != b {
			return fmt.Sprintf("Stop is %v, package time's is %v", a, b)
		}
	case op < 5:
		d := time.Duration(op) * ms
		if a, b := x.ours.Reset(d), x.real.Reset(d); a != b {
			return fmt.Sprintf("Reset is %v, package time's is %v", a, b)
		}
	case op < 8:
		time.Sleep(time.Duration(op-4)*ms + off)
	default:
		if a, b := poll(x.ourChan), poll(x.realChan); (a == nil) != (b == nil) || a != nil && a.Sub(*b).Abs() > window {
			return fmt.Sprintf("received %v, from package time's %v", a, b)
		}
	}
	if a, b := x.ourCalls.Load(), x.calls.Load(); a != b {
		return fmt.Sprintf("called %d times, by package time's %d times", a, b)
	}
	return ""
}

// poll receives what is there, if anything.
func poll(c <-chan time.Time) *time.Time {
	select {
	case t := <-c:
		return &t
	default:
		return nil
	}
}

// TestTickersAreLikePackageTimes: also when nobody listens for a while.
func TestTickersAreLikePackageTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ops := rapid.SliceOfN(rapid.IntRange(0, 12), 1, 20).Draw(t, "ops")
		within(t, sim.ProcessOptions{}, func(_ *sim.World, p *sim.Process) {
			ours, real := p.Clock().NewTicker(2*ms), time.NewTicker(2*ms)
			time.Sleep(off)
			for i, op := range ops {
				switch {
				case op == 0:
					ours.Stop()
					real.Stop()
				case op < 3:
					ours.Reset(time.Duration(op) * ms)
					real.Reset(time.Duration(op) * ms)
				case op < 8:
					time.Sleep(time.Duration(op-2)*ms + off)
				default:
					if a, b := poll(ours.Chan()), poll(real.C); (a == nil) != (b == nil) || a != nil && a.Sub(*b).Abs() > window {
						t.Errorf("operation %d: received %v, from package time's %v", i, a, b)
						return
					}
				}
			}
		})
	})
}

func TestTickersDoNotDrift(t *testing.T) {
	for _, rate := range []int64{0, 200_000} {
		within(t, sim.ProcessOptions{Rate: rate}, func(_ *sim.World, p *sim.Process) {
			start, ticker := p.Clock().Now(), p.Clock().NewTicker(3*ms+300)
			for i := 1; i <= 1000; i++ {
				// It comes with the window that begins next: no sum of delays.
				if off := (<-ticker.Chan()).Sub(start) - time.Duration(i)*(3*ms+300); off < 0 || off > window*12/10 {
					t.Fatalf("rate %d: tick %d is off by %v", rate, i, off)
				}
			}
		})
	}
}

// TestPausedTicker: the tick of the pause comes late, in the window after the
// pause, the next one on time.
func TestPausedTicker(t *testing.T) {
	var ticks []time.Duration
	run(t, nil, func(w *sim.World) {
		p := client(w, "c1", func(p *sim.Process) {
			ticker := p.Clock().NewTicker(10 * ms)
			for range 4 {
				<-ticker.Chan()
				ticks = append(ticks, p.Clock().Now().Sub(epoch))
			}
		})
		at(w, w.NewActor("faults"), 15*ms, func() { p.Pause(30 * ms) })
	})
	if want := []time.Duration{10 * ms, 45*ms + window, 50 * ms, 60 * ms}; !slices.Equal(ticks, want) {
		t.Errorf("ticks at %v, want %v", ticks, want)
	}
}

func TestTickerPeriods(t *testing.T) {
	within(t, sim.ProcessOptions{}, func(_ *sim.World, p *sim.Process) {
		for _, d := range []time.Duration{0, -1} {
			for name, f := range map[string]func(){
				"NewTicker": func() { p.Clock().NewTicker(d) },
				"Reset":     func() { p.Clock().NewTicker(1).Reset(d) },
			} {
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("%s(%d) does not panic", name, d)
						}
					}()
					f()
				}()
			}
		}
	})
}

// TestJumpLeavesTimers: as in a Go program, whose timers are monotonic.
func TestJumpLeavesTimers(t *testing.T) {
	within(t, sim.ProcessOptions{}, func(w *sim.World, p *sim.Process) {
		timer := p.Clock().NewTimer(10 * ms)
		start := time.Now()
		p.Clock().Jump(time.Hour)
		<-timer.Chan()
		if took := time.Since(start); took < 10*ms || took > 10*ms+5*us {
			t.Errorf("the clock jumped, and a timer of 10ms took %v", took)
		}
	})
}

// TestNever: times that do not come, and those before the present.
func TestNever(t *testing.T) {
	const never = time.Duration(math.MaxInt64)
	r := run(t, nil, func(w *sim.World) {
		echo(w)
		client(w, "c1", func(p *sim.Process) {
			c := dialed(p)
			must(c.SetReadDeadline(time.Unix(1<<40, 0)))
			timers := []clockwork.Timer{p.Clock().NewTimer(never), p.Clock().AfterFunc(never, func() { t.Error("never came") })}
			go p.Clock().Sleep(never)
			must(ping(c, "x"))
			p.Clock().Sleep(time.Second)
			for _, timer := range timers {
				if !timer.Stop() {
					t.Error("a timer that never fires has fired")
				}
			}
			_, err := dial(p, never)
			must(err)
			<-p.Clock().NewTimer(-never).Chan()
			p.Clock().Sleep(-never)
			p.Step("back", -never)
		})
		slow := w.NewProcess("slow", sim.ProcessOptions{Host: "10.0.0.9", Rate: -999_999})
		slow.Go(func() {
			timer := slow.Clock().NewTimer(never)
			time.Sleep(ms)
			if !timer.Stop() {
				t.Error("a timer of a slow clock that never fires has fired")
			}
		})
	})
	if r.Simulated > 2*time.Second {
		t.Errorf("it took %v", r.Simulated)
	}
}

// TestTwoWaitAlike: goroutines of one process that begin the same wait in one
// step wake together, whoever of them was first.
func TestTwoWaitAlike(t *testing.T) {
	setUp := func(wait func(*sim.Process)) func(*sim.World) {
		return func(w *sim.World) {
			echo(w)
			client(w, "c1", func(p *sim.Process) {
				start, done := make(chan bool), make(chan bool)
				for i := range 8 {
					c := dialed(p)
					go func() {
						<-start
						dawdle()
						wait(p)
						must(ping(c, fmt.Sprint(i)))
						done <- true
					}()
				}
				close(start)
				for range 8 {
					<-done
				}
			})
		}
	}
	for name, wait := range map[string]func(*sim.Process){
		"Sleep":      func(p *sim.Process) { p.Clock().Sleep(ms) },
		"Step":       func(p *sim.Process) { p.Step("x", ms) },
		"time.Sleep": func(*sim.Process) { time.Sleep(ms) },
	} {
		first := run(t, nil, setUp(wait))
		for range 10 {
			same(t, name, first, run(t, nil, setUp(wait)))
		}
	}
}

// TestStoppedTimers: a timer that was stopped in time is no event.
func TestStoppedTimers(t *testing.T) {
	r := within(t, sim.ProcessOptions{}, func(_ *sim.World, p *sim.Process) {
		timer := p.Clock().NewTimer(2 * ms)
		ticker := p.Clock().NewTicker(2 * ms)
		p.Step("wait", ms)
		timer.Stop()
		ticker.Stop()
		p.Clock().NewTimer(ms).Reset(time.Hour)
		p.Step("wait", 10*ms)
	})
	if fired := find(r, sim.EventTimer, "c1"); len(fired) > 0 {
		t.Errorf("they fired:\n%s", list(fired))
	}
}

// TestDifferentWaits: waits that differ in what or how long are events of
// their own.
func TestDifferentWaits(t *testing.T) {
	r := run(t, nil, func(w *sim.World) {
		client(w, "c1", func(p *sim.Process) {
			done := make(chan bool)
			for i := range 3 {
				go func() {
					p.Step(fmt.Sprint("a", i/2), ms)
					p.Clock().Sleep(time.Duration(i+1) * ms)
					done <- true
				}()
			}
			for range 3 {
				<-done
			}
		})
	})
	if steps, timers := find(r, sim.EventStep, "c1"), find(r, sim.EventTimer, "c1"); len(steps) != 1+2 || len(timers) != 3 {
		t.Errorf("%d steps and %d timers:\n%s", len(steps), len(timers), list(r.Events))
	}
}

// TestSetUpIsStaggered: what set-up code starts for two processes does not
// run at one instant, where the order would be the scheduler's.
func TestSetUpIsStaggered(t *testing.T) {
	times := map[time.Duration]string{}
	run(t, nil, func(w *sim.World) {
		ctx, cancel := context.WithCancel(context.Background())
		w.OnEnd(cancel)
		ticks := make(chan string, 100)
		for i := range 3 {
			p := w.NewProcess(fmt.Sprint("c", i), sim.ProcessOptions{Host: "10.0.0.1"})
			go func() {
				for ctx.Err() == nil {
					time.Sleep(ms)
					ticks <- fmt.Sprintf("%v %s", time.Since(epoch), p.Name())
				}
			}()
			p.Go(func() { p.Step("wait", 5*ms) })
		}
		w.OnEnd(func() {
			for range len(ticks) {
				var at, name string
				_, _ = fmt.Sscan(<-ticks, &at, &name)
				d, err := time.ParseDuration(at)
				must(err)
				if other := times[d]; other != "" && other != name {
					t.Errorf("%s and %s both ran at %v", name, other, d)
				}
				times[d] = name
			}
		})
	})
	if len(times) < 12 {
		t.Errorf("only %d ticks", len(times))
	}
}
