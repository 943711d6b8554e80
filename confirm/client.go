package confirm

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// outfit is the first line that a client process reads.
type outfit struct {
	Cell    json.RawMessage `json:"cell"`
	Name    string          `json:"name"`
	Seed    uint64          `json:"seed"`
	Address string          `json:"address"`
}

// order is what a client process is told to do.
type order struct {
	N  int          `json:"n"` // the number of the order
	Do model.OpKind `json:"do"`
	// Try does not wait. Check asks only whether the lease still claims the lock, before an access.
	Try bool `json:"try,omitempty"`
}

// report is how an order went.
type report struct {
	N       int           `json:"n"`
	Ready   bool          `json:"ready,omitempty"`
	Result  model.Outcome `json:"result,omitempty"`
	Err     string        `json:"err,omitempty"`
	NotHeld bool          `json:"notHeld,omitempty"`
	// Until is the end that the lease claims, if it claims one, by this process's clock.
	Until  time.Time `json:"until,omitzero"`
	Fenced bool      `json:"fenced,omitempty"`
	Token  int64     `json:"token,omitempty"`
	// Notifies is set if the lease can tell of its loss. Lost is a report of its own: the lease of order N was lost.
	Notifies bool `json:"notifies,omitempty"`
	Lost     bool `json:"lost,omitempty"`
	// Panic is what the lock panicked with.
	Panic string `json:"panic,omitempty"`
}

// ServeClient is a client process: it makes the lock of the cell that it is told over real connections, and calls
// it as it is told, until its input ends.
func ServeClient(resolve func(json.RawMessage) (cell.Cell, error), in io.Reader, out io.Writer) error {
	lines := json.NewDecoder(bufio.NewReader(in))
	var o outfit
	if err := lines.Decode(&o); err != nil {
		return err
	}
	c, err := resolve(o.Cell)
	if err != nil {
		return err
	}
	client, end := cell.NewRealClient(o.Name, o.Seed, cell.Outfit{
		Store: c.Lock.Store, Addresses: []string{o.Address}, LockName: cell.LockName, TTL: c.Params.LeaseAsked(), Own: c.Params.Own,
	})
	defer end()
	locker, ok := c.Lock.Construct(client).(lock.Locker)
	if !ok {
		return fmt.Errorf("%s is no mutex", c.Lock.ID)
	}
	s := &serving{locker: locker, lease: c.Params.LeaseAsked(), out: json.NewEncoder(out)}
	reports := make(chan report)
	orders := make(chan order)
	go func() {
		defer close(orders)
		for {
			var o order
			if lines.Decode(&o) != nil {
				return
			}
			orders <- o
		}
	}()
	s.reports = reports
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := s.out.Encode(report{Ready: true}); err != nil {
		return err
	}
	for {
		select {
		case o, more := <-orders:
			if !more {
				return nil // the driver is gone
			}
			go s.obey(ctx, o)
		case r := <-reports:
			if err := s.out.Encode(r); err != nil {
				return err
			}
		}
	}
}

// serving is a client process at work. One order is under way at a time.
type serving struct {
	locker  lock.Locker
	lease   time.Duration
	held    lock.Lease
	out     *json.Encoder
	reports chan<- report
}

func (s *serving) obey(ctx context.Context, o order) {
	r := report{N: o.N, Result: model.OK}
	defer func() {
		if v := recover(); v != nil {
			r.Panic = fmt.Sprint(v)
		}
		s.reports <- r
	}()
	var err error
	switch o.Do {
	case model.Acquire:
		acquire := s.locker.Acquire
		if trier, can := s.locker.(lock.TryLocker); o.Try && can {
			acquire = trier.TryAcquire
		}
		if s.held, err = acquire(ctx); err == nil {
			s.granted(&r)
		} else {
			r.Result, r.Err = model.Unknown, err.Error()
			if errors.Is(err, lock.ErrNotAcquired) {
				r.Result = model.Failed
			}
		}
		return
	case model.Read, model.Write:
		r.Until = s.until()
		if !s.stands() {
			r.Result = model.Failed
		}
		return
	case model.Extend:
		err = s.held.(lock.Extender).Extend(ctx, s.lease)
		r.Until = s.until()
	case model.Release:
		err = s.held.Release(ctx)
	}
	switch {
	case errors.Is(err, lock.ErrNotHeld):
		r.Result, r.NotHeld, r.Err = model.Failed, true, err.Error()
	case err != nil:
		r.Result, r.Err = model.Unknown, err.Error()
	}
}

// granted says what the lease claims.
func (s *serving) granted(r *report) {
	r.Until = s.until()
	if f, ok := s.held.(lock.Fenced); ok {
		r.Fenced, r.Token = true, f.Token()
	}
	if n, ok := s.held.(lock.Notifier); ok {
		r.Notifies = true
		lost, of := n.Lost(), r.N
		go func() {
			<-lost
			s.reports <- report{N: of, Lost: true}
		}()
	}
}

func (s *serving) until() time.Time {
	if e, ok := s.held.(lock.Expirer); ok {
		return e.Until()
	}
	return time.Time{}
}

// stands reports whether the lease still claims the lock: what a careful client looks at before each access.
func (s *serving) stands() bool {
	if end := s.until(); !end.IsZero() && !time.Now().Before(end) {
		return false
	}
	if n, ok := s.held.(lock.Notifier); ok {
		select {
		case <-n.Lost():
			return false
		default:
		}
	}
	return true
}
