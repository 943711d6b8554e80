package forecast

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// worker has at most one piece, and does one thing at a time.
type worker struct {
	*simulation
	rng   *rand.Rand
	speed int    // in per cent
	step  *event // its next action, nil while it waits for a piece
	life  int    // how many lives it has begun
	dead  bool
	// Until is the end of its pause.
	until time.Duration
	// Of its piece, -1 for none: how often it was handed out by then, since when, and its processor time.
	piece, given int
	since        time.Duration
	cost         time.Duration // of speed 100
	began, ends  time.Duration // of its runs
}

// mean returns a time with an exponential distribution, in whole milliseconds.
func (w *worker) mean(d time.Duration) time.Duration {
	return time.Duration(-math.Log(1-w.rng.Float64()) * float64(d)).Round(time.Millisecond)
}

// born begins a life.
func (w *worker) born() {
	w.dead, w.piece, w.cost, w.until = false, -1, 0, 0
	w.life++
	if w.world.Life > 0 {
		w.after(w.mean(w.world.Life), w.die)
	}
	w.calm()
	w.then(w.world.Queue, w.asks)
}

// then schedules an action after a duration in which it is at work.
func (w *worker) then(d time.Duration, do func()) { w.step = w.after(d, do) }

func (w *worker) asks() {
	w.step, w.piece = nil, -1
	w.ask(w)
}

// take gives it a piece.
func (w *worker) take(n int) {
	w.piece, w.given, w.since, w.cost = n, w.pieces[n].given, w.now, 0
	w.then(w.world.Queue+w.world.Bucket, func() { // it checks whether the result is there
		p := &w.pieces[n]
		if p.kept {
			w.outcome.Found++
			w.acknowledge()
			return
		}
		w.cost = time.Duration(p.blocks*explore.BlockSize) * w.world.Schedule
		spread := 100 + w.rng.IntN(2*w.world.Spread+1) - w.world.Spread
		took := w.cost * time.Duration(spread) / time.Duration(w.speed)
		w.began, w.ends = w.now, w.now+took
		w.then(took, w.write)
	})
}

// write keeps the result: it checks whether it is there, writes it, and reports that.
func (w *worker) write() {
	w.then(2*w.world.Bucket, func() {
		p := &w.pieces[w.piece]
		if p.kept {
			w.outcome.Twice += w.cost
			w.outcome.Doubles++
		} else {
			p.kept = true
			w.simulation.kept++
			if w.simulation.kept+w.aside == len(w.pieces) {
				w.outcome.Tail = w.now - w.last
				w.server.last = w.now
			}
			w.server.heard()
		}
		w.acknowledge()
	})
}

// acknowledge notifies the queue, which may be gone.
func (w *worker) acknowledge() {
	w.cost = 0
	w.then(w.world.Queue, func() {
		if w.up {
			w.pieces[w.piece].acked = true
			w.then(w.world.Queue, w.asks)
			return
		}
		w.leave()
		w.then(w.rules.Again, w.asks)
	})
}

// beat returns when the queue last heard of its piece.
func (w *worker) beat() time.Duration {
	return w.since + (w.now-w.since)/w.rules.Beat*w.rules.Beat
}

// leave lets the lease of its piece end, unless the queue hears of it again.
func (w *worker) leave() {
	if w.piece >= 0 && !w.pieces[w.piece].acked {
		w.at(w.beat()+w.rules.Lease, w.ended(w.piece, w.given))
	}
}

// ended returns the end of a lease. A server that is gone sees it when it is back.
func (w *worker) ended(n, given int) func() {
	return func() {
		switch {
		case !w.up:
			w.server.missed = append(w.server.missed, w.ended(n, given))
		case w.pieces[n].given == given && (w.piece != n || w.given != given || w.dead || w.until > w.now):
			w.expire(n)
		}
	}
}

// drop voids its next action.
func (w *worker) drop() {
	if w.step == nil {
		w.idle = slices.DeleteFunc(w.idle, func(o *worker) bool { return o == w })
	} else {
		w.step.void = true
	}
}

// die ends a life. Another begins after a while.
func (w *worker) die() {
	w.outcome.Deaths++
	w.drop()
	w.dead = true
	w.leave()
	if w.cost > 0 {
		did := min(max(w.now-max(w.until-w.now, 0), w.began), w.ends) - w.began
		w.outcome.Lost += time.Duration(float64(did) / float64(w.ends-w.began) * float64(w.cost)).Round(time.Millisecond)
	}
	w.after(w.mean(w.world.Away), w.born)
}

// calm returns a time after which it pauses.
func (w *worker) calm() {
	if w.world.Calm == 0 {
		return
	}
	life := w.life
	w.after(w.mean(w.world.Calm), func() {
		if w.life != life || w.dead {
			return
		}
		w.outcome.Pauses++
		d := w.mean(w.world.Pause)
		w.drop()
		w.until = w.now + d
		w.leave()
		next, do := d, w.asks
		if w.step != nil {
			next, do = w.step.at+d-w.now, w.step.do
		}
		w.began, w.ends = w.began+d, w.ends+d
		w.then(next, do)
		w.after(d, w.calm)
	})
}
