package pull

import (
	"context"
	"time"
)

// Metrics receives the measurements of [Metering]. It must be safe for concurrent
// use. The module pullotel, below this package, has one for OpenTelemetry.
type Metrics interface {
	// Acquired is called after every Acquire and TryAcquire, with its outcome, its
	// duration and the number of its requests for the lock.
	Acquired(ctx context.Context, name string, outcome Outcome, waited time.Duration, tries int)
	// Released is called after every Release, with its outcome, and how long the
	// lock was held.
	Released(ctx context.Context, name string, outcome Outcome, held time.Duration)
	// Lost is called for every lease that is known to be lost before it was
	// released.
	Lost(ctx context.Context, name string, held time.Duration)
}

// Metering is a handler that reports to metrics. Put it first, so that it includes
// the effect of other handlers.
type Metering struct {
	metrics Metrics
}

// NewMetering returns a handler that reports to the given metrics.
func NewMetering(metrics Metrics) Metering { return Metering{metrics} }

// Acquire measures an Acquire.
func (m Metering) Acquire(ctx context.Context, a *Acquisition, next func(context.Context) error) error {
	err := next(ctx)
	m.metrics.Acquired(ctx, a.Name, OutcomeOf(err), a.Since(a.Began), a.Tries)
	if err == nil {
		a.OnLost(func() { m.metrics.Lost(context.WithoutCancel(ctx), a.Name, a.Since(a.Held)) })
	}
	return err
}

// Release measures a Release.
func (m Metering) Release(ctx context.Context, a *Acquisition, next func(context.Context) error) error {
	err := next(ctx)
	m.metrics.Released(ctx, a.Name, OutcomeOf(err), a.Since(a.Held))
	return err
}
