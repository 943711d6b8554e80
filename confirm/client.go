package confirm

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
)

// outfit is the first line that a client process reads.
type outfit struct {
	Cell json.RawMessage `json:"cell"`
	Name string          `json:"name"`
	Seed uint64          `json:"seed"`
	// Addresses are one for each independent server.
	Addresses []string `json:"addresses"`
	// Ending ends the context of a call when it returns.
	Ending bool `json:"ending,omitempty"`
	// Ahead and Rate are the error of the process's clock from its beginning, Rate in parts per million.
	Ahead time.Duration `json:"aheadNanos,omitempty"`
	Rate  int64         `json:"ratePPM,omitempty"`
}

// order is what a client process is told to do.
type order struct {
	N      int          `json:"n"` // the number of the order
	Do     model.OpKind `json:"do"`
	Thread int          `json:"thread,omitempty"`
	// Hold is the operation that began the hold that this belongs to. Asks are what it asks of an object that is no
	// mutex, nil for accesses.
	Hold int         `json:"hold,omitempty"`
	Asks *model.Call `json:"asks,omitempty"`
	// Try does not wait.
	Try bool `json:"try,omitempty"`
	// Ahead is how far the clock jumps.
	Ahead time.Duration `json:"aheadNanos,omitempty"`
}

// What a client process is told besides operations. A read or a write asks only whether the lease still claims the
// lock, before an access.
const (
	cancelCall model.OpKind = "cancel" // end the context of the thread's call
	jumpClock  model.OpKind = "jump"
	prepare    model.OpKind = "prepare" // set the object up, as each thread does before anything else
)

// report is how an order went.
type report struct {
	N       int           `json:"n"`
	Thread  int           `json:"thread,omitempty"`
	Ready   bool          `json:"ready,omitempty"`
	Result  model.Outcome `json:"result,omitempty"`
	Err     string        `json:"err,omitempty"`
	NotHeld bool          `json:"notHeld,omitempty"`
	// Until is the true time at which this process's clock will show the end that the lease claims, if that was not
	// reported before.
	Until  time.Time `json:"until,omitzero"`
	Fenced bool      `json:"fenced,omitempty"`
	Token  int64     `json:"token,omitempty"`
	// Permit is the permit that was given, and Value what was answered (Valued). Refused is set if the object has less
	// than was asked for.
	Permit  string `json:"permit,omitempty"`
	Valued  bool   `json:"valued,omitempty"`
	Value   int64  `json:"value,omitempty"`
	Refused bool   `json:"refused,omitempty"`
	// Notifies is set if the lease can tell of its loss. Lost is a report of its own: the lease of order N was lost.
	Notifies bool `json:"notifies,omitempty"`
	Lost     bool `json:"lost,omitempty"`
	// Clock is set on the first report if the lock has taken the process's clock ([cell.Client.Clock]), and Jumped
	// when it has jumped.
	Clock  bool `json:"clock,omitempty"`
	Jumped bool `json:"jumped,omitempty"`
	// Panic is what the lock panicked with.
	Panic string `json:"panic,omitempty"`
}

// Serve is a client process, which a [Program] runs: it makes the lock of the cell that it is told over real
// connections, and calls it as it is told, until the driver is gone. What the code under test prints goes where the
// program's output goes.
func Serve(resolve func(json.RawMessage) (cell.Cell, error)) error {
	explore.KeepAside()
	in, out, err := explore.Pipes()
	if err != nil {
		return err
	}
	return serve(resolve, in, out)
}

func serve(resolve func(json.RawMessage) (cell.Cell, error), in io.Reader, out io.Writer) error {
	lines := json.NewDecoder(bufio.NewReader(in))
	var o outfit
	if err := lines.Decode(&o); err != nil {
		return err
	}
	c, err := resolve(o.Cell)
	if err != nil {
		return err
	}
	s := &serving{
		name: o.Name, spec: c.Judging().Spec, packing: c.Params.TTL / 20, lease: c.Params.LeaseAsked(), clock: newClock(o.Ahead, o.Rate), ending: o.Ending,
		reports: make(chan report), threads: map[int]*thread{},
	}
	first := report{Ready: true}
	client, end := cell.NewRealClient(o.Name, o.Seed, cell.Outfit{
		Store: c.Lock.Store, Addresses: o.Addresses, LockName: cell.LockName, Spec: s.spec, TTL: c.Params.LeaseAsked(), Own: c.Params.Own,
		Clock: func() clockwork.Clock { first.Clock = true; return s.clock },
	})
	defer end()
	s.object = c.Lock.Construct(client)
	reports := json.NewEncoder(out)
	if err := reports.Encode(first); err != nil {
		return err
	}
	orders := make(chan order)
	go func() {
		defer close(orders)
		for o := (order{}); lines.Decode(&o) == nil; o = (order{}) {
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
	reports chan report
	threads map[int]*thread
}

// thread is a thread of a client process. One order of it is under way at a time.
type thread struct {
	holds    map[int]*hold      // by the operations that began them
	acquired int                // how many it has had
	cancel   context.CancelFunc // ends the context of its call
}

// hold is a lease.
type hold struct {
	lock.Lease
	until time.Time // its end that was reported last
}

// serve obeys orders until there are no more: the driver is gone then.
func (s *serving) serve(orders <-chan order, reports *json.Encoder) error {
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
			case cancelCall:
				if t.cancel != nil { // else a trace cancels a call before it is made
					t.cancel()
				}
			case jumpClock:
				s.clock.jump(o.Ahead)
				if err := reports.Encode(report{Jumped: true}); err != nil {
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

// obey carries out an order, and reports how it went.
func (s *serving) obey(ctx context.Context, t *thread, o order) {
	r := report{N: o.N, Thread: o.Thread, Result: model.OK}
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
	case prepare:
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

// acquire acquires the lock, and says what the lease claims.
func (s *serving) acquire(ctx context.Context, t *thread, o order, r *report) {
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
		lost, told := n.Lost(), report{N: o.N, Thread: o.Thread, Lost: true}
		go func() {
			<-lost
			s.reports <- told
		}()
	}
}

// claims reports whether a lease still claims the lock, and its end if that is new.
func (s *serving) claims(h *hold, r *report) bool {
	end := claim.End(h.Lease)
	if !end.Equal(h.until) {
		h.until, r.Until = end, s.clock.when(end)
	}
	return claim.Stands(h.Lease, end, s.clock.Now())
}

// failed notes an error.
func (r *report) failed(err error) {
	if err != nil {
		r.Err = err.Error()
	}
}
