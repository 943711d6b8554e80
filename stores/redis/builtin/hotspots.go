package builtin

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks/flawed"
)

// hotspotLocks are the production lock whose threads compete within their process first.
var hotspotLocks = []cell.Lock{
	{
		ID: "pull-hotspot", Summary: "pull whose threads compete within their process first", Needs: cell.Needs{Threads: 2},
		Promises: []string{checker.VainRequest},
		Subject: cell.Mutex(newPull(func(c *cell.Client, o *pull.Options) {
			o.Handlers = []pull.Handler{pull.NewHotspots(c.LockName())}
		})),
	},
	{
		ID: "pull-hotspot-names", Summary: "pull-hotspot of one name, in processes that lock many", Needs: cell.Needs{Threads: 2},
		Promises: []string{checker.BoundedSize},
		Subject:  cell.Mutex(newManyNames(func(h *pull.Hotspots) pull.Handler { return h })),
	},
}

// flawedHotspotLocks are the flawed variants.
var flawedHotspotLocks = []cell.Lock{
	{
		ID: "pull-hotspot-early", Summary: "pull-hotspot that lets the next thread go before the store has the lock back", Needs: cell.Needs{Threads: 2},
		Promises: []string{checker.VainRequest},
		Subject: cell.Mutex(newPull(func(c *cell.Client, o *pull.Options) {
			o.Handlers = []pull.Handler{flawed.EarlyHotspots{Hotspots: pull.NewHotspots(c.LockName())}}
		})),
	},
	{
		ID: "pull-hotspot-of-all", Summary: "pull-hotspot that keeps a gate for each name that was ever locked", Needs: cell.Needs{Threads: 2},
		Promises: []string{checker.BoundedSize},
		Subject:  cell.Mutex(newManyNames(func(h *pull.Hotspots) pull.Handler { return flawed.HotspotsOfAll{Hotspots: h} })),
	},
}

// newManyNames makes locks of processes that lock many names, of which one is registered as a hotspot: before each
// Acquire a thread locks something that it alone wants, such as an order, and gives it back.
func newManyNames(handler func(*pull.Hotspots) pull.Handler) cell.NewLock {
	return func(c *cell.Client) lock.Locker {
		hotspots := pull.NewHotspots(c.LockName())
		c.Bound("local locks", 1, hotspots.Len)
		vary := func(_ *cell.Client, o *pull.Options) { o.Handlers = []pull.Handler{handler(hotspots)} }
		locker := pullMaker(c, vary)
		return &manyNames{Locker: locker(c.LockName()), client: c.Name(), other: locker}
	}
}

type manyNames struct {
	lock.Locker
	client string
	other  func(name string) lock.Locker
	orders atomic.Int64
}

// Acquire locks an order, gives it back, and then acquires the lock.
func (m *manyNames) Acquire(ctx context.Context) (lock.Lease, error) {
	order, err := m.other("order-" + m.client + "-" + strconv.FormatInt(m.orders.Add(1), 10)).Acquire(ctx)
	if err == nil {
		err = order.Release(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("an order of its own: %w", err)
	}
	return m.Locker.Acquire(ctx)
}
