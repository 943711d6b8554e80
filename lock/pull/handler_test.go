package pull_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
)

var errHandler = errors.New("the handler fails")

// hooks is a handler that does as it is set up, and notes when it was called.
type hooks struct {
	name             string
	diary            *[]string
	acquire, release func(next func(context.Context) error) error
}

func (h hooks) do(ctx context.Context, what string, f func(func(context.Context) error) error, next func(context.Context) error) error {
	*h.diary = append(*h.diary, h.name+" "+what)
	defer func() { *h.diary = append(*h.diary, h.name+" "+what+" done") }()
	if f == nil {
		return next(ctx)
	}
	return f(next)
}

func (h hooks) Acquire(ctx context.Context, _ *pull.Acquisition, next func(context.Context) error) error {
	return h.do(ctx, "acquire", h.acquire, next)
}

func (h hooks) Release(ctx context.Context, _ *pull.Acquisition, next func(context.Context) error) error {
	return h.do(ctx, "release", h.release, next)
}

func (h hooks) Failed(_ context.Context, _ *pull.Acquisition, step pull.Step, err error) {
	*h.diary = append(*h.diary, fmt.Sprintf("%s hears that %s failed", h.name, step))
}

// TestChain: handlers are called in their order, and come back in the other.
func TestChain(t *testing.T) {
	s := newStand(t)
	var diary []string
	l := s.locker(pull.Options{Handlers: []pull.Handler{hooks{name: "a", diary: &diary}, pull.Pass{}, hooks{name: "b", diary: &diary}}})
	s.is(s.acquire(l).Release(t.Context()), nil)
	want := []string{
		"a acquire", "b acquire", "b acquire done", "a acquire done",
		"a release", "b release", "b release done", "a release done",
	}
	if !slices.Equal(diary, want) {
		t.Errorf("got  %q\nwant %q", diary, want)
	}
}

// TestHandlerFails: whatever a handler does wrong, nothing stays held.
func TestHandlerFails(t *testing.T) {
	type chain = func(next func(context.Context) error) error
	ctx := t.Context()
	for _, test := range []struct {
		name             string
		acquire, release chain
		panics           bool
		asks             int // how many requests there are for the lock
	}{
		{name: "before", acquire: func(chainNext func(context.Context) error) error { return errHandler }},
		{name: "after", acquire: func(next func(context.Context) error) error { return errors.Join(next(ctx), errHandler) }, asks: 1},
		{name: "makes it up", acquire: func(func(context.Context) error) error { return nil }},
		{name: "twice", acquire: func(next func(context.Context) error) error { return errors.Join(next(ctx), next(ctx)) }, asks: 1},
		{name: "panics", acquire: func(next func(context.Context) error) error { _ = next(ctx); panic(errHandler) }, panics: true, asks: 1},
		{name: "at release", release: func(func(context.Context) error) error { return errHandler }, asks: 1},
		{name: "after release", release: func(next func(context.Context) error) error { return errors.Join(next(ctx), errHandler) }, asks: 1},
		{name: "panics at release", release: func(func(context.Context) error) error { panic(errHandler) }, panics: true, asks: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStand(t)
			var diary []string
			l := s.locker(pull.Options{Handlers: []pull.Handler{
				hooks{name: "a", diary: &diary},
				hooks{name: "b", diary: &diary, acquire: test.acquire, release: test.release},
				hooks{name: "c", diary: &diary},
			}})
			var err error
			func() {
				defer func() {
					if r := recover(); (r != nil) != test.panics {
						t.Errorf("it panics with %v", r)
					}
				}()
				var lease lock.Lease
				if lease, err = l.Acquire(ctx); err == nil {
					err = lease.Release(ctx)
				}
			}()
			if err == nil && !test.panics {
				t.Error("nobody is notified")
			}
			if who := s.store.holder(name); who != "" {
				t.Errorf("the lock is still held, by %q", who)
			}
			if n := s.store.count("add"); n != test.asks {
				t.Errorf("%d requests, want %d", n, test.asks)
			}
			if released := slices.Contains(diary, "c release"); released != (test.asks > 0) {
				t.Errorf("what is behind it was released: %v (%q)", released, diary)
			}
			if heard := slices.ContainsFunc(diary, func(d string) bool { return strings.HasPrefix(d, "c hears") }); heard == test.panics {
				t.Errorf("the others have heard of it: %v (%q)", heard, diary)
			}
		})
	}
}

// TestSlowHandler: a lease whose validity a handler has used up is none.
func TestSlowHandler(t *testing.T) {
	s := newStand(t)
	var diary []string
	l := s.locker(pull.Options{Handlers: []pull.Handler{hooks{name: "slow", diary: &diary, acquire: func(next func(context.Context) error) error {
		err := next(t.Context())
		s.clock.Advance(9950 * time.Millisecond)
		return err
	}}}})
	_, err := l.Acquire(t.Context())
	s.is(err, pull.ErrTooLate)
	if who := s.store.holder(name); who != "" {
		t.Errorf("the lock is still held, by %q", who)
	}
}

// metered is what metrics got.
type metered struct {
	mu   sync.Mutex
	list []string
}

func (m *metered) add(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, fmt.Sprintf(format, args...))
}

func (m *metered) Acquired(_ context.Context, name string, o pull.Outcome, waited time.Duration, tries int) {
	m.add("%s acquire %s %v %d", name, o, waited, tries)
}

func (m *metered) Released(_ context.Context, name string, o pull.Outcome, held time.Duration) {
	m.add("%s release %s %v", name, o, held)
}

func (m *metered) Lost(_ context.Context, name string, held time.Duration) {
	m.add("%s lost %v", name, held)
}

func TestMetering(t *testing.T) {
	s := newStand(t)
	var m metered
	l := s.locker(pull.Options{Wait: 3 * time.Second, MinSleep: time.Second, RandomSleep: 1, Handlers: []pull.Handler{pull.NewMetering(&m)}})
	lease := s.acquire(l)
	waiting := s.acquiring(t.Context(), l)
	for range 3 {
		s.sleeps(2, time.Second) // the lease is the other that waits for the clock
	}
	s.is((<-waiting).err, pull.ErrTimeout)
	s.is(lease.Release(t.Context()), nil)
	lease = s.acquire(l)
	s.clock.Advance(9898 * time.Millisecond)
	s.lost(lease, true)
	s.eventually(func() bool { m.mu.Lock(); defer m.mu.Unlock(); return len(m.list) == 5 })
	want := []string{"orders acquire succeeded 0s 1", "orders acquire timed out 3s 4", "orders release succeeded 3s", "orders acquire succeeded 0s 1", "orders lost 9.898s"}
	if !slices.Equal(m.list, want) {
		t.Errorf("got  %q\nwant %q", m.list, want)
	}
}
