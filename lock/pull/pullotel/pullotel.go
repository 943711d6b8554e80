// Package pullotel reports the measurements of package pull to OpenTelemetry: it has a
// [pull.Metrics] over a meter. It is a module of its own, so that programs without it do
// not depend on OpenTelemetry.
//
//	metrics, err := pullotel.New(otel.Meter("orders"))
//	if err != nil {
//		return err
//	}
//	options.Handlers = append(options.Handlers, pull.NewMetering(metrics))
//
// The instruments, all with the attribute lock (the lock's name) and all but the last
// with outcome (see pull.Outcome):
//
//	lock.acquire.duration   histogram, s         how long an Acquire took
//	lock.acquire.requests   histogram, {request} how many requests it sent for the lock
//	lock.hold.duration      histogram, s         how long a lock was held until its Release
//	lock.lost               counter, {lease}     leases that were lost before their Release
package pullotel

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/lockpick-dev/lockpick/lock/pull"
)

// Metrics are the instruments. It is safe for concurrent use.
type Metrics struct {
	acquire, hold metric.Float64Histogram
	requests      metric.Int64Histogram
	lost          metric.Int64Counter
}

var _ pull.Metrics = (*Metrics)(nil)

// New makes the instruments of a meter. The error is the meter's.
//
// A lock's name is an attribute, and each name is a time series: if the number of names
// is unbounded, pass a meter with a view that drops the attribute.
func New(meter metric.Meter) (*Metrics, error) {
	m := &Metrics{}
	var errs [4]error
	m.acquire, errs[0] = meter.Float64Histogram("lock.acquire.duration", metric.WithUnit("s"), metric.WithDescription("How long an Acquire took."))
	m.requests, errs[1] = meter.Int64Histogram("lock.acquire.requests", metric.WithUnit("{request}"), metric.WithDescription("How many requests for the lock an Acquire sent."))
	m.hold, errs[2] = meter.Float64Histogram("lock.hold.duration", metric.WithUnit("s"), metric.WithDescription("How long a lock was held until its Release."))
	m.lost, errs[3] = meter.Int64Counter("lock.lost", metric.WithUnit("{lease}"), metric.WithDescription("Leases that were lost before their Release."))
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	return m, nil
}

func attributes(name string, outcome pull.Outcome) metric.MeasurementOption {
	return metric.WithAttributes(attribute.String("lock", name), attribute.String("outcome", string(outcome)))
}

// Acquired records an Acquire.
func (m *Metrics) Acquired(ctx context.Context, name string, outcome pull.Outcome, waited time.Duration, tries int) {
	with := attributes(name, outcome)
	m.acquire.Record(ctx, waited.Seconds(), with)
	m.requests.Record(ctx, int64(tries), with)
}

// Released records a Release.
func (m *Metrics) Released(ctx context.Context, name string, outcome pull.Outcome, held time.Duration) {
	m.hold.Record(ctx, held.Seconds(), attributes(name, outcome))
}

// Lost counts a lease that was lost.
func (m *Metrics) Lost(ctx context.Context, name string, _ time.Duration) {
	m.lost.Add(ctx, 1, metric.WithAttributes(attribute.String("lock", name)))
}
