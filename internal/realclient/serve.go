package realclient

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/claim"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Locks finds the cells of a program's locks.
type Locks struct {
	// Of returns the cell of a trace, and Decode that of [cell.Cell.Encode].
	Of     func(*traces.Trace) (cell.Cell, error)
	Decode func(json.RawMessage) (cell.Cell, error)
}

// Serve runs the process of a [Program]. It makes the lock of the outfit's cell over real connections, and follows orders
// until the driver is gone; or it answers for a [Subject]. Output of the code under test goes to the program's output.
func Serve(l Locks) error {
	explore.KeepAside()
	in, out, err := explore.Pipes()
	if err != nil {
		return err
	}
	return serve(l, in, out)
}

func serve(l Locks, in io.Reader, out io.Writer) error {
	lines, reports := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	var o Outfit
	if err := lines.Decode(&o); err != nil {
		return err
	}
	if o.Subject != nil {
		c, err := l.Of(o.Subject)
		return answer(c, err, lines, reports)
	}
	c, err := l.Decode(o.Cell)
	if err != nil {
		return err
	}
	s := &serving{
		name: o.Name, spec: c.Judging().Spec, packing: c.Params.TTL / 20, lease: c.Params.LeaseAsked(), clock: newClock(o.Ahead, o.Rate), ending: o.Ending,
		reports: make(chan Report), threads: map[int]*thread{},
	}
	first := Report{Ready: true}
	client, end := cell.NewRealClient(o.Name, o.Seed, cell.Outfit{
		Store: c.Lock.Store, Addresses: o.Addresses, LockName: cell.LockName, Spec: s.spec, TTL: c.Params.LeaseAsked(), Own: c.Params.Own,
		Clock: func() clockwork.Clock { first.Clock = true; return s.clock },
	})
	defer end()
	s.object = c.Lock.Construct(client)
	if err := reports.Encode(first); err != nil {
		return err
	}
	orders := make(chan Order)
	go func() {
		defer close(orders)
		for o := (Order{}); lines.Decode(&o) == nil; o = (Order{}) {
			orders <- o
		}
	}()
	return s.serve(orders, reports)
}

// serving is a client process at work. Its threads share the object.
type serving struct {
	name    string
	object  any
	spec    model.Spec
	packing time.Duration // how long an order of a stock takes
	lease   time.Duration
	clock   *clock
	ending  bool
	reports chan Report
	threads map[int]*thread
}

// thread is a thread of a client process. One order of it is under way at a time.
type thread struct {
	holds    map[int]*hold      // by the operations that began them
	acquired int                // number of acquisitions so far
	cancel   context.CancelFunc // ends the context of its call
}

// hold is a lease.
type hold struct {
	lock.Lease
	until time.Time // its last reported end
}

// serve follows orders until they end: the driver is gone then.
func (s *serving) serve(orders <-chan Order, reports *json.Encoder) error {
	all, over := context.WithCancel(context.Background())
	defer over()
	for {
		select {
		case o, more := <-orders:
			if !more {
				return nil
			}
			t := s.threads[o.Thread]
			if t == nil {
				t = &thread{holds: map[int]*hold{}}
				s.threads[o.Thread] = t
			}
			switch o.Do {
			case CancelCall:
				if t.cancel != nil { // otherwise a trace cancels a call before it is made
					t.cancel()
				}
			case JumpClock:
				s.clock.jump(o.Ahead)
				if err := reports.Encode(Report{Jumped: true}); err != nil {
					return err
				}
			default:
				var ctx context.Context
				ctx, t.cancel = context.WithCancel(all)
				go s.obey(ctx, t, o)
			}
		case r := <-s.reports:
			if err := reports.Encode(r); err != nil {
				return err
			}
		}
	}
}

// obey carries out an order, and reports the result.
func (s *serving) obey(ctx context.Context, t *thread, o Order) {
	r := Report{N: o.N, Thread: o.Thread, Result: model.OK}
	defer func() {
		if v := recover(); v != nil {
			r.Panic = fmt.Sprint(v)
		}
		if s.ending {
			t.cancel()
		}
		s.reports <- r
	}()
	var err error
	switch o.Do {
	case model.Acquire:
		s.acquire(ctx, t, o, &r)
		return
	case Prepare:
		r.failed(s.prepare(ctx))
		return
	case model.Extend:
		h := t.holds[o.Hold]
		if err = h.Lease.(lock.Extender).Extend(ctx, s.lease); err == nil {
			s.claims(h, &r)
		}
	case model.Release:
		err = s.ended(t, o).Release(ctx)
	default:
		if o.Asks != nil {
			s.ask(ctx, o, &r)
		} else if !s.claims(t.holds[o.Hold], &r) { // before an access
			r.Result = model.Failed
		}
		return
	}
	r.Result, r.NotHeld = claim.Answered(err)
	r.failed(err)
}

// acquire acquires the lock, and reports the end of the lease.
func (s *serving) acquire(ctx context.Context, t *thread, o Order, r *Report) {
	lease, err := s.take(ctx, o)
	if err != nil {
		r.Result = claim.Tried(err)
		r.failed(err)
		return
	}
	h := &hold{Lease: lease}
	t.holds[o.N] = h
	t.acquired++
	s.claims(h, r)
	if i, ok := lease.(lock.Identified); ok && o.Asks != nil {
		r.Permit = i.ID()
	}
	if f, ok := lease.(lock.Fenced); ok {
		r.Fenced, r.Token = true, f.Token()
	}
	if n, ok := lease.(lock.Notifier); ok {
		r.Notifies = true
		lost, told := n.Lost(), Report{N: o.N, Thread: o.Thread, Lost: true}
		go func() {
			<-lost
			s.reports <- told
		}()
	}
}

// claims reports whether a lease still claims the lock, and its end if that is new.
func (s *serving) claims(h *hold, r *Report) bool {
	end := claim.End(h.Lease)
	if !end.Equal(h.until) {
		h.until, r.Until = end, s.clock.when(end)
	}
	return claim.Holds(h.Lease, end, s.clock.Now())
}

// failed records an error.
func (r *Report) failed(err error) {
	if err != nil {
		r.Err = err.Error()
	}
}
