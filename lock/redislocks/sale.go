package redislocks

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// A sale is one order being served.
type sale struct {
	of     *Segmented
	id     string // of the order, and the value of its locks
	wanted int64
	ttl    time.Duration
	locked []int   // segments
	items  []int64 // how many of each it will take
}

// find locks segments with enough items. It returns false, with nothing locked, if
// other orders have them.
func (s *sale) find(ctx context.Context) (bool, error) {
	left, err := s.of.left(ctx)
	switch {
	case err != nil:
		return false, err
	case int64(sum(left)) < s.wanted: // the stock never grows
		return false, lock.ErrSoldOut
	case slices.Max(left) < s.wanted:
		return s.gather(ctx, left)
	}
	for i, first := 0, s.of.random.Draw(len(left)); i < len(left); i++ {
		segment := (first + i) % len(left)
		if left[segment] < s.wanted {
			continue
		}
		if done, err := s.from(ctx, segment); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

// from locks one segment, if it is free and has enough.
func (s *sale) from(ctx context.Context, segment int) (bool, error) {
	if held, err := s.lock(ctx, segment); !held || err != nil {
		return false, err
	}
	left, err := s.of.left(ctx)
	if err == nil && left[segment] >= s.wanted {
		s.items = []int64{s.wanted}
		return true, nil
	}
	s.unlock(ctx)
	return false, err
}

// gather locks one segment after the other until they have enough together.
func (s *sale) gather(ctx context.Context, left []int64) (bool, error) {
	need := s.wanted
	for segment := range left {
		if need == 0 {
			break
		}
		if left[segment] == 0 {
			continue
		}
		held, err := s.lock(ctx, segment)
		if err != nil || !held {
			s.unlock(ctx)
			return false, err
		}
		now, err := s.of.left(ctx)
		if err != nil {
			return false, err
		}
		s.items = append(s.items, min(now[segment], need))
		need -= min(now[segment], need)
	}
	if need > 0 {
		s.unlock(ctx)
	}
	return need == 0, nil
}

// lock tries the lock of a segment.
func (s *sale) lock(ctx context.Context, segment int) (bool, error) {
	n, err := scripts.AddIfAbsent.Run(ctx, s.of.client, []string{s.of.locks[segment]}, s.id, scripts.Millis(s.ttl)).Int()
	if n == 1 || err != nil { // or it may have been taken
		s.locked = append(s.locked, segment)
	}
	return n == 1, err
}

// unlock gives the locks back, with a short context of its own.
func (s *sale) unlock(ctx context.Context) {
	ctx, cancel := cleanup(ctx)
	defer cancel()
	for _, segment := range s.locked {
		_ = scripts.Delete(ctx, s.of.client, s.of.locks[segment], s.id) // it runs out by itself
	}
	s.locked, s.items = nil, nil
}

// take takes the items, if all locks are still the order's.
func (s *sale) take(ctx context.Context) error {
	keys, args := []string{scripts.Beside(s.of.name, "order:"+s.id)}, []any{s.id, scripts.Millis(s.of.ttl)}
	for i, segment := range s.locked {
		keys = append(keys, s.of.stocks[segment], s.of.locks[segment])
		args = append(args, strconv.FormatInt(s.items[i], 10))
	}
	n, err := scripts.SegmentTake.Run(ctx, s.of.client, keys, args...).Int()
	switch {
	case err != nil:
		return err
	case n < 0:
		return lock.ErrNotHeld
	case n == 0:
		return lock.ErrSoldOut
	}
	return nil
}
