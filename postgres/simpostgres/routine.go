package simpostgres

import "iter"

// routine is the coroutine in which a session handles its messages. It is suspended while a statement waits.
type routine struct {
	next   func() (struct{}, bool) // nil if there is none
	stop   func()
	yield  func(struct{}) bool
	over   func()
	parked string // the type of the present wait; empty if there is none
	sleeps bool   // it waits for nothing but time
	ended  error  // why the wait ends, if not as it should
}

// unwinding is the panic that ends a coroutine whose session is over.
type unwinding struct{}

// begin runs f until it waits or ends. When it has ended, over is called.
func (r *routine) begin(f, over func()) {
	r.over = over
	r.next, r.stop = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if p := recover(); p != nil {
				if _, ok := p.(unwinding); !ok {
					panic(p)
				}
			}
		}()
		r.yield = yield
		f()
	})
	r.step()
}

// running reports whether there is a coroutine.
func (r *routine) running() bool { return r.next != nil }

// step runs the coroutine until it waits or ends.
func (r *routine) step() {
	if _, waits := r.next(); !waits {
		r.next = nil
		r.over()
	}
}

// park suspends the coroutine. Its error ends the wait.
func (r *routine) park(why string) error {
	r.parked = why
	if !r.yield(struct{}{}) {
		panic(unwinding{})
	}
	r.parked = ""
	err := r.ended
	r.ended = nil
	return err
}

// drop ends a coroutine that is suspended, without another step of it.
func (r *routine) drop() {
	if r.next != nil {
		r.next = nil
		r.stop()
	}
}

// Park suspends the statement, until Resume is called.
func (s *session) Park(why string) error {
	if s.loads {
		panic("simpostgres: a statement of Load waits")
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
