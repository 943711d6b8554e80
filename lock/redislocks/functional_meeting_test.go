package redislocks_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// TestLatch: it opens with the last count, for all who wait, and can be set
// again.
func TestLatch(t *testing.T) {
	s := kindStand(t)
	one := closeAtEnd(t, redislocks.NewLatch(s.Server.Client(t, nil), name, neverPolls()))
	other := closeAtEnd(t, redislocks.NewLatch(s.Server.Client(t, nil), name, neverPolls()))
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	for range 2 {
		if err := one.Wait(ctx); err != nil {
			t.Errorf("a latch that is not set: %v", err)
		}
		if set, err := one.TrySet(ctx, 3); !set || err != nil {
			t.Fatalf("TrySet says %v, %v", set, err)
		}
		if set, err := other.TrySet(ctx, 5); set || err != nil {
			t.Errorf("TrySet of a closed latch says %v, %v", set, err)
		}
		open := make(chan error, 4)
		for i := range cap(open) {
			go func() { open <- []*redislocks.Latch{one, other}[i%2].Wait(ctx) }()
		}
		for i, l := range []*redislocks.Latch{one, other, one} {
			if n, err := l.Count(ctx); n != 3-i || err != nil {
				t.Errorf("after %d of 3 the count is %d, %v", i, n, err)
			}
			select {
			case err := <-open:
				t.Errorf("after %d of 3 Wait returned %v", i, err)
			case <-time.After(busy):
			}
			if err := l.CountDown(ctx); err != nil {
				t.Error(err)
			}
		}
		for range cap(open) {
			if err := <-open; err != nil {
				t.Error(err)
			}
		}
	}
}

// TestLatchOwner: an owner counts once, and a wait ends with its context.
func TestLatchOwner(t *testing.T) {
	s := kindStand(t)
	l := closeAtEnd(t, redislocks.NewLatch(s.Server.Client(t, nil), name, neverPolls()))
	if _, err := l.TrySet(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := l.CountDown(lock.WithOwner(t.Context(), "me")); err != nil {
			t.Error(err)
		}
	}
	if n, err := l.Count(t.Context()); n != 1 || err != nil {
		t.Errorf("the count is %d, %v", n, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), busy)
	defer cancel()
	if err := l.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait says %v", err)
	}
	if _, err := l.TrySet(t.Context(), 0); err == nil {
		t.Error("a latch can be set to 0")
	}
}

// TestBarrier: nobody of a generation goes before all have come, over several
// generations.
func TestBarrier(t *testing.T) {
	const parties, generations = 6, 5
	s := kindStand(t)
	var come [generations]atomic.Int32
	var done sync.WaitGroup
	for range parties {
		b := closeAtEnd(t, redislocks.NewBarrier(s.Server.Client(t, nil), name, parties, neverPolls()))
		done.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), soon)
			defer cancel()
			for g := range generations {
				come[g].Add(1)
				got, err := b.Await(ctx)
				if err != nil || got != int64(g) {
					t.Errorf("generation %d is %d, %v", g, got, err)
					return
				}
				if n := come[g].Load(); n != parties {
					t.Errorf("generation %d went when %d of %d had come", g, n, parties)
				}
			}
		})
	}
	done.Wait()
}

// TestBarrierTakenBack: one whose context has ended does not count.
func TestBarrierTakenBack(t *testing.T) {
	s := kindStand(t)
	b := closeAtEnd(t, redislocks.NewBarrier(s.Server.Client(t, nil), name, 2, neverPolls()))
	brief, cancel := context.WithTimeout(t.Context(), busy)
	defer cancel()
	if _, err := b.Await(brief); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Await alone says %v", err)
	}
	brief, cancel = context.WithTimeout(t.Context(), busy)
	defer cancel()
	if _, err := b.Await(brief); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Await with one who has left says %v", err)
	}
	passed := make(chan error, 2)
	for range cap(passed) {
		go func() {
			ctx, cancel := context.WithTimeout(t.Context(), soon)
			defer cancel()
			_, err := b.Await(ctx)
			passed <- err
		}()
	}
	for range cap(passed) {
		if err := <-passed; err != nil {
			t.Error(err)
		}
	}
}

// TestBarrierRepeated: a request that is executed again, after a further generation, is answered as it was, and counts for no other
// generation; so it is with one that takes a party back.
func TestBarrierRepeated(t *testing.T) {
	s := kindStand(t)
	client := s.Server.Client(t, nil)
	keys := []string{name, scripts.Beside(name, "waiting"), scripts.Beside(name, "passed"), scripts.Beside(name, "kept")}
	for _, step := range []struct {
		who  string
		want int64 // the generation, or -1-g
	}{{"a", -1}, {"b", 0}, {"c", -2}, {"d", 1}, {"a", 0}, {"d", 1}, {"e", -3}, {"b", 0}, {"f", 2}} {
		got, err := scripts.BarrierAwait.Run(t.Context(), client, keys, step.who, "", "2", scripts.Millis(time.Minute), "open").Int64()
		if err != nil || got != step.want {
			t.Errorf("%s is answered %d, %v, want %d", step.who, got, err, step.want)
		}
	}
	for who, want := range map[string]int64{"a": 0, "c": 1, "f": 2, "nobody": -1} { // unordered: each by itself
		if got, err := scripts.BarrierLeave.Run(t.Context(), client, keys, who, "").Int64(); err != nil || got != want {
			t.Errorf("%s, who leaves, is answered %d, %v, want %d", who, got, err, want)
		}
	}
}

// TestSegmented: many buyers of 1 to 3 items each buy all there is, and nothing
// that there is not; an order that fails takes nothing.
func TestSegmented(t *testing.T) {
	const items = 101
	s := kindStand(t)
	var sold atomic.Int32
	var done sync.WaitGroup
	for process := range 2 {
		stock := redislocks.NewSegmented(s.Server.Client(t, nil), name, redislocks.SegmentedOptions{
			Options: redislocks.Options{MinSleep: time.Millisecond, RandomSleep: 4 * time.Millisecond}, Segments: 7,
		})
		if filled, err := stock.Fill(t.Context(), items); err != nil || filled != (process == 0) {
			t.Fatalf("Fill says %v, %v", filled, err)
		}
		for thread := range 8 {
			done.Go(func() { s.buy(stock, thread%3+1, &sold) })
		}
	}
	done.Wait()
	if n := sold.Load(); n != items {
		t.Errorf("%d of %d items were sold", n, items)
	}
}

var errDeclined = errors.New("declined")

// buy buys n items again and again, then one at a time, until there are none.
func (s *stand) buy(stock lock.Stock, n int, sold *atomic.Int32) {
	ctx, cancel := context.WithTimeout(s.T.Context(), 2*soon)
	defer cancel()
	for n > 0 {
		if err := stock.Sell(ctx, n, func(context.Context) error { return errDeclined }); !errors.Is(err, errDeclined) && !errors.Is(err, lock.ErrSoldOut) {
			s.T.Errorf("Sell of an order that fails says %v", err)
		}
		err := stock.Sell(ctx, n, func(context.Context) error { return nil })
		switch {
		case err == nil:
			sold.Add(int32(n))
		case errors.Is(err, lock.ErrSoldOut):
			n--
		default:
			s.T.Error(err)
			return
		}
	}
	if left, err := stock.Left(ctx); left != 0 || err != nil {
		s.T.Errorf("sold out with %d left, %v", left, err)
	}
}

// TestSegmentedRemainders: an order that is larger than any segment is served
// from several, and one that outlives its locks takes nothing.
func TestSegmentedRemainders(t *testing.T) {
	s := kindStand(t)
	stock := redislocks.NewSegmented(s.Server.Client(t, nil), name, redislocks.SegmentedOptions{Segments: 5})
	if _, err := stock.Fill(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	if err := stock.Sell(lock.WithTTL(t.Context(), short), 2, func(context.Context) error {
		time.Sleep(2 * short)
		return nil
	}); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("an order that outlives its locks gets %v", err)
	}
	for _, n := range []int{7, 3} {
		if err := stock.Sell(t.Context(), n, func(context.Context) error { return nil }); err != nil {
			t.Errorf("%d of 10: %v", n, err)
		}
	}
	if left, err := stock.Left(t.Context()); left != 0 || err != nil {
		t.Errorf("%d left, %v", left, err)
	}
	if err := stock.Sell(t.Context(), 0, nil); err == nil {
		t.Error("nothing can be sold")
	}
}
