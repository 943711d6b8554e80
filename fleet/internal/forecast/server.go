package forecast

import "time"

// server polls the bucket, reads new results, and joins all of them at the end.
type server struct {
	*simulation
	looking *event // its next poll or read
	news    bool
	read    int
	busy    time.Duration
	last    time.Duration // when the last result was kept
	was     bool          // it has been gone
	missed  []func()      // leases that ended meanwhile
}

// heard handles a report of a worker, on its way.
func (v *server) heard() {
	v.after(v.world.Queue, func() {
		if v.up { // otherwise it is lost, and the restarted server reads all results
			v.news = true
			v.look()
		}
	})
}

// look makes it poll the bucket at the next tick, unless it does already.
func (v *server) look() {
	if v.looking == nil && v.news {
		v.looking = v.at((v.now/v.rules.Look+1)*v.rules.Look, v.scan)
	}
}

// scan reads the new results.
func (v *server) scan() {
	v.news = false
	fresh := v.kept - v.read
	v.looking = v.after(v.list()+v.takes(fresh, v.world.Read), func() {
		v.looking = nil
		v.read += fresh
		v.took(fresh, v.world.Read)
	})
}

// took continues after reading.
func (v *server) took(n int, each time.Duration) {
	v.busy += time.Duration(n) * each
	switch {
	case v.read+v.aside == len(v.pieces):
		v.merge()
	case v.world.Down > 0 && !v.was && 2*v.read >= len(v.pieces):
		v.down()
	default:
		v.look()
	}
}

// list returns the time to list all results.
func (v *server) list() time.Duration {
	return time.Duration(1+v.kept/v.world.Names) * v.world.Bucket
}

// takes returns the time to read results, limited by the processors or by the bucket.
func (v *server) takes(n int, each time.Duration) time.Duration {
	return time.Duration(n) * max(each/time.Duration(v.world.Processors), v.world.Bucket/time.Duration(v.rules.Readers))
}

// merge joins all results, and ends the search.
func (v *server) merge() {
	n := v.read
	v.looking = v.after(2*v.list()+v.takes(n, v.world.Merge), func() {
		v.busy += time.Duration(n) * v.world.Merge
		v.outcome.Merge = v.now - v.last
		v.end = true
	})
}

// down ends the server. It comes back, reads the bucket, and starts its queue.
func (v *server) down() {
	v.was, v.up = true, false
	began := v.now
	v.after(v.world.Down, func() {
		n := v.kept
		v.after(v.list()+v.takes(n, v.world.Read), func() {
			v.read = n
			v.back(began)
			v.took(n, v.world.Read)
		})
	})
}

// back starts the queue. Leases have continued: a worker that was silent for a lease has lost its piece, unless it renews
// the lease sooner.
func (v *server) back(began time.Duration) {
	v.up, v.news = true, true
	const reconnect = 1500 * time.Millisecond // workers come back by then, at different times
	for _, w := range v.workers {
		if !w.dead && w.piece >= 0 && w.since < began && w.since+(began-w.since)/v.rules.Beat*v.rules.Beat+v.rules.Lease < v.now+reconnect {
			v.expire(w.piece)
		}
	}
	for _, f := range v.missed {
		f()
	}
	v.missed = nil
	waiting := v.idle
	v.idle = nil
	for _, w := range waiting {
		w.then(time.Duration(w.rng.Int64N(int64(reconnect))), w.asks)
	}
	v.serve()
}
