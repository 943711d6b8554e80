package simpostgres

import "iter"

// worker is a coroutine that does one job after the other. It is suspended between them, and while a job waits.
type worker struct {
	next    func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
	job     func() // nil between jobs
	stopped bool
}

// unwinding is the panic that ends a job whose session is over.
type unwinding struct{}

func newWorker() *worker {
	w := &worker{}
	w.next, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		growStack()
		w.yield = yield
		for !w.stopped {
			w.work()
			w.job = nil
			if !w.stopped && !yield(struct{}{}) {
				return
			}
		}
	})
	return w
}

// growStack makes the coroutine's stack as large as statements need it. Growing it later takes longer, since a deep stack
// has to be copied.
//
//go:noinline
func growStack() (used byte) {
	var room [8 << 10]byte
	for i := range 2 {
		used += room[i*len(room)/2]
	}
	return used
}

// work does the job.
func (w *worker) work() {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(unwinding); !ok {
				panic(p)
			}
		}
	}()
	w.job()
}

// end ends the coroutine, without another step of its job.
func (w *worker) end() {
	w.stopped = true
	w.stop()
}

// routine is the part of a session that is executed by a worker: it handles messages. It is suspended while a statement waits.
type routine struct {
	worker *worker // nil if there is none
	free   *[]*worker
	over   func()
	parked string // the type of the present wait; empty if there is none
	sleeps bool   // it waits for nothing but time
	ended  error  // why the wait ends, if not as it should
}

// begin runs f until it waits or ends. When it has ended, over is called.
func (r *routine) begin(f, over func()) {
	r.over = over
	if last := len(*r.free) - 1; last >= 0 {
		r.worker, *r.free = (*r.free)[last], (*r.free)[:last]
	} else {
		r.worker = newWorker()
	}
	r.worker.job = f
	r.step()
}

// running reports whether the routine does something, or waits.
func (r *routine) running() bool { return r.worker != nil }

// step runs the routine until it waits or ends.
func (r *routine) step() {
	w := r.worker
	w.next()
	if w.job == nil {
		r.worker = nil
		*r.free = append(*r.free, w)
		r.over()
	}
}

// park suspends the routine. Its error ends the wait.
func (r *routine) park(why string) error {
	r.parked = why
	if !r.worker.yield(struct{}{}) {
		panic(unwinding{})
	}
	r.parked = ""
	err := r.ended
	r.ended = nil
	return err
}

// drop ends a routine that waits, without another step of it.
func (r *routine) drop() {
	if w := r.worker; w != nil {
		r.worker = nil
		w.end()
	}
}

// Park suspends the statement, until Resume is called.
func (s *session) Park(why string) error {
	if s.loads {
		panic(unwinding{}) // Load reports that
	}
	s.hurry()
	return s.park(why)
}

// hurry sends errors and notices that wait.
func (s *session) hurry() {
	if s.conn != nil && s.conn.urgent {
		s.conn.flush()
	}
}

// Resume continues the statement that is suspended.
func (s *session) Resume() {
	if s.parked == "" || s.closed {
		return
	}
	s.step()
}
