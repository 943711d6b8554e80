package lab_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

const ms = time.Millisecond

// plan is a plan in which every thread takes a lock that polls, works and releases it, so often.
func plan(processes, threads, rounds int) lab.Plan {
	return lab.Plan{
		Store: redisstore.Store, Params: stage.Params{TTL: 10 * time.Second},
		Processes: processes, Threads: threads,
		Latency: lab.Latency{Median: ms, P999: 5 * ms}, Costs: lab.Costs{"": 20 * time.Microsecond}, Limit: time.Hour,
		Client: func(c *cell.Client) func(*lab.Thread) {
			client := redis.NewClient(redisstore.Options(c))
			c.Cleanup(func() { _ = client.Close() })
			l := redislocks.NewSetPX(client, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
			return func(t *lab.Thread) {
				for range rounds {
					if h := t.Acquire(l, 0); h != nil {
						t.Sleep(20 * ms)
						_ = t.Release(h)
					}
				}
			}
		},
	}
}

func ExampleRun() {
	sample, _, err := lab.Run(plan(3, 2, 5), lab.Tape(1), false)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sample.Count(lab.Acquired), "acquisitions,", sample.Overlaps(), "of them while another had the lock")
	// Output: 30 acquisitions, 0 of them while another had the lock
}

// A run depends on its plan and its tape, recorded or not.
func TestRunRepeats(t *testing.T) {
	first, _, err := lab.Run(plan(2, 3, 4), lab.Tape(5), false)
	if err != nil {
		t.Fatal(err)
	}
	again, recording, err := lab.Run(plan(2, 3, 4), lab.Tape(5), true)
	if err != nil {
		t.Fatal(err)
	}
	if first.Hash != again.Hash || !slices.Equal(first.Tries, again.Tries) {
		t.Errorf("two runs of one tape differ: %016x and %016x", first.Hash, again.Hash)
	}
	if n := len(recording.History.Operations); n != 2*first.Count(lab.Acquired) {
		t.Errorf("the recorded history has %d operations, want an Acquire and a Release for each of %d", n, first.Count(lab.Acquired))
	}
	other, _, err := lab.Run(plan(2, 3, 4), lab.Tape(6), false)
	if err != nil {
		t.Fatal(err)
	}
	if other.Hash == first.Hash {
		t.Error("runs of two tapes are the same")
	}
}

// The times of a run are those that its plan says: one holder after another.
func TestTimes(t *testing.T) {
	s, _, err := lab.Run(plan(4, 1, 5), lab.Tape(1), false)
	if err != nil {
		t.Fatal(err)
	}
	if least := 20 * 20 * ms; s.Elapsed < least || s.Elapsed > 20*least {
		t.Errorf("20 holds of 20 ms took %v", s.Elapsed)
	}
	for _, try := range s.Tries {
		if try.Wait() < 2*100*time.Microsecond || try.Release < try.Return+20*ms || try.Released < try.Release {
			t.Errorf("a try has impossible times: %+v", try)
		}
	}
	if got := s.Served("redis1"); got < 2*20 {
		t.Errorf("the server has served %d requests in 20 holds", got)
	}
	if s.Cut != "" {
		t.Errorf("the run was cut: %s", s.Cut)
	}
}

// What arrives at the servers is counted by the moment in which it does.
func TestMoments(t *testing.T) {
	const clients, rounds, every = 7, 4, 10 * ms
	p := plan(clients, 1, 0)
	p.Latency, p.Costs, p.Moment, p.From = lab.Latency{Median: ms}, nil, ms, 100*ms
	p.Client = func(c *cell.Client) func(*lab.Thread) {
		client := redis.NewClient(redisstore.Options(c))
		c.Cleanup(func() { _ = client.Close() })
		return func(t *lab.Thread) {
			for n := range rounds {
				_ = client.Ping(t.Context()).Err()
				t.SleepUntil(p.From + time.Duration(n)*every)
			}
			if t.Process == 0 {
				_ = client.Ping(t.Context()).Err()
			}
		}
	}
	s, _, err := lab.Run(p, lab.Tape(1), false)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int, 32)
	want[1], want[11], want[21], want[31] = clients, clients, clients, 1 // one way is a millisecond
	if !slices.Equal(s.Moments, want) {
		t.Errorf("in each millisecond arrive %v, want %v", s.Moments, want)
	}
	for _, test := range []struct {
		from, to time.Duration
		want     int
	}{
		{0, time.Second, clients}, {2 * ms, 11 * ms, 0}, {2 * ms, 12 * ms, clients}, {22 * ms, time.Second, 1}, {20500 * time.Microsecond, 22 * ms, clients}, {21500 * time.Microsecond, 30 * ms, 0},
	} {
		if got := s.Busiest(p.Moment, test.from, test.to); got != test.want {
			t.Errorf("the busiest moment from %v to %v has %d, want %d", test.from, test.to, got, test.want)
		}
	}
	p.Moment = 0
	if s, _, err := lab.Run(p, lab.Tape(1), false); err != nil || s.Moments != nil {
		t.Errorf("moments that nobody asked for: %v, %v", s, err)
	}
}

func TestLimit(t *testing.T) {
	p := plan(1, 1, 1000)
	p.Limit = 500 * ms
	s, _, err := lab.Run(p, lab.Tape(1), false)
	if err != nil {
		t.Fatal(err)
	}
	if s.Cut == "" || s.Elapsed > 500*ms || s.Count(lab.Acquired) == 0 {
		t.Errorf("after %v the run is cut because %q, with %d acquisitions", s.Elapsed, s.Cut, s.Count(lab.Acquired))
	}
}

// A lock that panics is an error, not the end of the program.
func TestPanic(t *testing.T) {
	p := plan(1, 1, 1)
	p.Client = func(*cell.Client) func(*lab.Thread) { return func(*lab.Thread) { panic("on purpose") } }
	if _, _, err := lab.Run(p, lab.Tape(1), false); err == nil || !strings.Contains(err.Error(), "on purpose") {
		t.Errorf("got the error %v", err)
	}
}

// The distribution has the median and the percentile that it is made of, and never decreases.
func TestLatency(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		median := time.Duration(rapid.IntRange(1000, 1_000_000).Draw(t, "median"))
		l := lab.Latency{Median: median, P999: median * time.Duration(rapid.IntRange(1, 1000).Draw(t, "factor"))}
		near := func(what string, got, want time.Duration) {
			if math.Abs(float64(got-want)) > 1+1e-6*float64(want) {
				t.Errorf("%s of %v is %v", what, l, got)
			}
		}
		near("the median", l.Quantile(0.5), l.Median)
		near("the 99.9th percentile", l.Quantile(0.999), l.P999)
		a, b := rapid.Float64Range(0.00001, 0.99999).Draw(t, "a"), rapid.Float64Range(0.00001, 0.99999).Draw(t, "b")
		if l.Quantile(min(a, b)) > l.Quantile(max(a, b)) {
			t.Errorf("the quantile of %v decreases between %v and %v", l, a, b)
		}
	})
}

func TestSample(t *testing.T) {
	hold := func(process int, call, get, release time.Duration) lab.Try {
		return lab.Try{Process: process, Call: call, Return: get, Result: lab.Acquired, Release: release, Released: release + ms}
	}
	tests := map[string]struct {
		tries     []lab.Try
		overlaps  int
		handovers []float64
		fairness  float64
	}{
		"one after another, all waiting": {[]lab.Try{hold(0, 0, 1*ms, 10*ms), hold(1, 2*ms, 13*ms, 20*ms)}, 0, []float64{3}, 1},
		"one that asks later is first":   {[]lab.Try{hold(0, 0, 1*ms, 10*ms), {Process: 1, Call: 2 * ms, Return: 40 * ms, Result: lab.TimedOut}, hold(1, 12*ms, 14*ms, 20*ms)}, 0, []float64{4}, 1},
		"nobody waits":                   {[]lab.Try{hold(0, 0, 1*ms, 10*ms), hold(1, 15*ms, 16*ms, 20*ms)}, 0, nil, 1},
		"two at once":                    {[]lab.Try{hold(0, 0, 1*ms, 10*ms), hold(1, 0, 5*ms, 20*ms)}, 1, nil, 1},
		"at the very moment":             {[]lab.Try{hold(0, 0, 1*ms, 10*ms), hold(1, 0, 10*ms, 20*ms)}, 0, []float64{0}, 1},
		"one has it always":              {[]lab.Try{hold(0, 0, 1*ms, 2*ms), hold(0, 3*ms, 4*ms, 5*ms)}, 0, nil, 0.5},
		"never released":                 {[]lab.Try{{Return: ms, Result: lab.Acquired}, hold(1, 0, 50*ms, 60*ms)}, 1, nil, 1},
	}
	for name, test := range tests {
		s := lab.Sample{Tries: test.tries, Elapsed: 100 * ms}
		if got := s.Overlaps(); got != test.overlaps {
			t.Errorf("%s: %d overlaps, want %d", name, got, test.overlaps)
		}
		if got := s.Handovers(); !slices.Equal(got, test.handovers) {
			t.Errorf("%s: hand-overs took %v, want %v", name, got, test.handovers)
		}
		if got := s.Fairness(2); math.Abs(got-test.fairness) > 1e-9 {
			t.Errorf("%s: Jain's index is %v, want %v", name, got, test.fairness)
		}
	}
}

// Who still waits at the end of the run waits at each release before.
func TestHandoversWithOneWhoNeverGetsIt(t *testing.T) {
	s := lab.Sample{Elapsed: 100 * ms, Waiting: []time.Duration{90 * ms}, Tries: []lab.Try{
		{Call: 0, Return: ms, Result: lab.Acquired, Release: 5 * ms, Released: 6 * ms},            // before it waits
		{Call: 7 * ms, Return: 8 * ms, Result: lab.Acquired, Release: 20 * ms, Released: 21 * ms}, // nobody waited
		{Call: 22 * ms, Return: 25 * ms, Result: lab.Acquired, Release: 30 * ms, Released: 31 * ms},
	}}
	if got := s.Handovers(); !slices.Equal(got, []float64{5}) {
		t.Errorf("hand-overs took %v, want [5]", got)
	}
}

// Open arrivals come at their rate, also while the thread is busy; who comes then waits.
func TestOpen(t *testing.T) {
	p := plan(4, 5, 0)
	p.Client = func(*cell.Client) func(*lab.Thread) {
		return func(t *lab.Thread) {
			for due := range t.Open(100*ms, 20*time.Second) {
				t.Task(due, func(*lab.Task) error { t.Sleep(50 * ms); return nil })
			}
		}
	}
	s, _, err := lab.Run(p, lab.Tape(3), false)
	if err != nil {
		t.Fatal(err)
	}
	const want = 20 * 200 // 20 threads, 20 s, ten each second
	if n := len(s.Tasks); n < want*9/10 || n > want*11/10 {
		t.Errorf("%d tasks came, want about %d", n, want)
	}
	waited := 0
	for _, k := range s.Tasks {
		switch took := k.Return - k.Due; {
		case took < 50*ms:
			t.Fatalf("a task of 50 ms took %v: %+v", took, k)
		case took > 51*ms:
			waited++
		}
	}
	// A single server that is busy half of the time makes half of the arrivals wait.
	if part := float64(waited) / float64(len(s.Tasks)); part < 0.4 || part > 0.6 {
		t.Errorf("%.0f %% of the tasks waited, want about half", 100*part)
	}
}

// Of closed arrivals so many are under way at a time, and there are as many as there are.
func TestClosed(t *testing.T) {
	for name, test := range map[string]struct{ concurrent, total, threads, want int }{
		"more threads than tasks at a time": {3, 20, 5, 3},
		"fewer threads":                     {10, 20, 4, 4},
		"fewer tasks":                       {10, 2, 4, 2},
	} {
		p := plan(1, test.threads, 0)
		now, most := 0, 0
		var requests lab.Closed
		p.Client = func(*cell.Client) func(*lab.Thread) {
			requests = lab.Closed{Concurrent: test.concurrent, Total: test.total}
			return func(t *lab.Thread) {
				for due := range requests.Of(t) {
					t.Do(func() { now++; most = max(most, now) })
					t.Task(due, func(*lab.Task) error { t.Sleep(10 * ms); return nil })
					t.Do(func() { now-- })
				}
			}
		}
		s, _, err := lab.Run(p, lab.Tape(3), false)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Tasks) != test.total || most != test.want {
			t.Errorf("%s: %d tasks, %d at a time; want %d and %d", name, len(s.Tasks), most, test.total, test.want)
		}
	}
}
