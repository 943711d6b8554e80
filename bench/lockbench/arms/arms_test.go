package arms

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/real/stress"
)

// TestBudgets: the arms of Lockpick have the budgets of package locktest.
func TestBudgets(t *testing.T) {
	if defaultRuns != locktest.DefaultRuns || shortRuns != locktest.ShortRuns || shortTime != locktest.ShortTime {
		t.Errorf("%d, %d and %s, and locktest has %d, %d and %s", defaultRuns, shortRuns, shortTime, locktest.DefaultRuns, locktest.ShortRuns, locktest.ShortTime)
	}
}

// TestShare: no search has more time than is left, and each has some.
func TestShare(t *testing.T) {
	l := &lockpick{time: 20 * time.Second}
	spent := time.Duration(0)
	for i := range 10 {
		got := l.share(spent, 10, i)
		if got <= 0 || spent+got > l.time {
			t.Errorf("the %d-th of ten searches has %s after %s of %s", i, got, spent, l.time)
		}
		spent += got / 2
	}
	if got := (&lockpick{}).share(time.Hour, 10, 0); got != 0 {
		t.Errorf("without a limit it is %s", got)
	}
}

// TestRequests: a gate strikes about as often as its rate says, and only what asks for something.
func TestRequests(t *testing.T) {
	q := &requests{random: rand.New(rand.NewPCG(1, 2)), rate: 0.1, kinds: 15, long: true}
	struck, lost := 0, 0
	for range 10_000 {
		f := q.Request(stress.Message{What: "SET lock"})
		if f != (stress.Fate{}) {
			struck++
		}
		if f.Lost {
			lost++
		}
		if f.Late > 2*trial.Lease {
			t.Fatalf("it holds a request for %s", f.Late)
		}
	}
	if struck < 800 || struck > 1200 || lost < struck/3 || lost > struck*2/3 {
		t.Errorf("of 10,000 requests it struck %d and lost %d, at a rate of a tenth", struck, lost)
	}
	if f := q.Request(stress.Message{}); f != (stress.Fate{}) {
		t.Errorf("what serves the connection: %v", f)
	}
}

// TestProxy: a toxic is about the messages of its client, until its end.
func TestProxy(t *testing.T) {
	p := newProxy(rand.New(rand.NewPCG(1, 2)))
	p.toxics["c1"] = toxic{until: time.Second, timeout: true}
	p.toxics["c2"] = toxic{until: time.Second, latency: 100 * time.Millisecond, jitter: 50 * time.Millisecond}
	if f := p.Answer(stress.Message{Client: "c1", At: 400 * time.Millisecond}); f != (stress.Fate{Late: 600 * time.Millisecond, Lost: true}) {
		t.Errorf("a time-out: %v", f)
	}
	if f := p.Request(stress.Message{Client: "c2"}); f.Lost || f.Late < 50*time.Millisecond || f.Late > 150*time.Millisecond {
		t.Errorf("latency: %v", f)
	}
	for _, m := range []stress.Message{{Client: "c3"}, {Client: "c1", At: time.Second}} {
		if f := p.Request(m); f != (stress.Fate{}) {
			t.Errorf("%v: %v", m, f)
		}
	}
}
