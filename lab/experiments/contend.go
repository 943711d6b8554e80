package experiments

import (
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// contention is a competition of clients for a lock of the program: each acquires, holds, releases and comes back, from
// the beginning to the end of the run.
type contention struct {
	lock    cell.Lock
	clients int
	hold    time.Duration
	// away is how long a client stays away after a release.
	away time.Duration
	// pause is the minimum pause of polling locks, lease the requested lease.
	pause, lease time.Duration
	// gathers makes the first client keep the lock until all others wait for it.
	gathers bool
	// warmUp is the time before counting begins, and lasts the time after that.
	warmUp, lasts time.Duration
}

// plan returns a run in which each client is a process. If the lock is for several threads of a process, each process has
// as many.
func (x contention) plan() lab.Plan {
	store := x.lock.Store
	threads := min(max(x.lock.Needs.Threads, 1), x.clients)
	return lab.Plan{
		Store: store, Params: x.lock.AtLeast(stage.Params{TTL: x.lease}),
		Processes: x.clients / threads, Threads: threads,
		Latency: localNetwork, Costs: measured[store.ID()], Pause: x.pause,
		From: x.warmUp, Until: x.warmUp + x.lasts, Limit: x.warmUp + x.lasts,
		Client: func(c *cell.Client) func(*lab.Thread) {
			locker := lab.Locker(x.lock, c)
			return func(t *lab.Thread) {
				until := x.comes(t)
				for !t.Over() {
					if h := t.Acquire(locker, 0); h != nil {
						t.SleepUntil(max(until, t.Now()+x.hold))
						_ = t.Release(h)
					} else {
						t.Sleep(x.pause)
					}
					t.Sleep(x.away)
				}
			}
		},
	}
}

// comes lets a thread come: the first at once, the others one after the other. It returns until when the thread keeps the
// lock when it has it for the first time.
func (x contention) comes(t *lab.Thread) (keeps time.Duration) {
	if t.Process == 0 && t.Number == 0 {
		if x.gathers {
			keeps = x.warmUp * 3 / 4
		}
		return keeps
	}
	t.Sleep(x.warmUp/4 + time.Duration(t.Rand.Int64N(int64(x.warmUp/4))).Truncate(time.Microsecond))
	return 0
}

// perAcquisition returns a number divided by the number of acquisitions.
func perAcquisition(of func(*lab.Sample) int) func(*lab.Sample) float64 {
	return func(s *lab.Sample) float64 {
		return ratio(float64(of(s)), float64(s.Count(lab.Acquired)))
	}
}

// handover returns a quantile of the times of handing the lock over, in milliseconds.
func handover(q float64) func(*lab.Sample) float64 {
	return func(s *lab.Sample) float64 { return labreport.Quantile(s.Handovers(), q) }
}

// received returns how many segments clients have received.
func received(s *lab.Sample) int { return s.Received }
