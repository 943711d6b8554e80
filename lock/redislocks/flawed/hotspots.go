package flawed

import (
	"context"

	"github.com/lockpick-dev/lockpick/lock/pull"
)

// EarlyHotspots is [pull.Hotspots] whose Release gives the local gate back before the store's lock,
// the order against which an article on pull-mode locks warns. It is flawed.
//
// Guarantee: that of the lock that it is a handler of.
//
// What breaks it: the next thread of the process is woken while the store still has the lock. Its
// request is in vain, unless it overtakes the release, and it sleeps before it asks again (scenario
// contention, property vain-request). No lock is harmed: the store decides who holds it. And all that
// breaks the lock.
//
// Defaults: those of pull.Hotspots.
type EarlyHotspots struct{ *pull.Hotspots }

// Release gives the gate back, and then calls next.
func (h EarlyHotspots) Release(ctx context.Context, a *pull.Acquisition, next func(context.Context) error) error {
	_ = h.Hotspots.Release(ctx, a, func(context.Context) error { return nil }) // the gate alone, which does not fail
	return next(ctx)
}

// HotspotsOfAll is [pull.Hotspots] for whatever name is locked, which the same article warns of as
// well. It is flawed.
//
// Guarantee: that of the lock that it is a handler of.
//
// What breaks it: the gate of a name stays when nobody locks it any more, so a process that locks
// many names, such as one for each order, keeps more and more of them until it has no memory left
// (scenario contention, property bounded-size). Register the few names that many threads want. And all
// that breaks the lock that it is a handler of.
//
// Defaults: those of pull.Hotspots, without a name.
type HotspotsOfAll struct{ *pull.Hotspots }

// Acquire makes a gate for the name, if there is none, takes it, and calls next.
func (h HotspotsOfAll) Acquire(ctx context.Context, a *pull.Acquisition, next func(context.Context) error) error {
	h.Register(a.Name)
	return h.Hotspots.Acquire(ctx, a, next)
}
