package fleet

import (
	"context"
	"os"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/metric"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
)

// metricsAsked reports whether the environment names a collector, by OpenTelemetry's own variables.
func metricsAsked() bool {
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT") != ""
}

// metrics exports the state of a search by OpenTelemetry: OTLP over HTTP, to the collector that the environment names.
type metrics struct {
	mutex    sync.Mutex
	last     Status
	provider *sdk.MeterProvider
}

// newMetrics exports by a reader; nil means the collector that the environment names.
func newMetrics(ctx context.Context, reader sdk.Reader) (*metrics, error) {
	if reader == nil {
		exporter, err := otlpmetrichttp.New(ctx)
		if err != nil {
			return nil, err
		}
		reader = sdk.NewPeriodicReader(exporter, sdk.WithInterval(15*time.Second))
	}
	about := resource.NewSchemaless(attribute.String("service.name", "simrun-fleet"))
	m := &metrics{provider: sdk.NewMeterProvider(sdk.WithReader(reader), sdk.WithResource(about))}
	return m, m.register()
}

// register registers all instruments. One callback reads them, so that their values belong together.
func (m *metrics) register() error {
	meter := m.provider.Meter("github.com/lockpick-dev/lockpick/fleet")
	var failed error
	must := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	var all []metric.Observable
	counter := func(name, unit, about string) metric.Int64ObservableCounter {
		c, err := meter.Int64ObservableCounter(name, metric.WithUnit(unit), metric.WithDescription(about))
		must(err)
		all = append(all, c)
		return c
	}
	gauge := func(name, unit, about string) metric.Int64ObservableGauge {
		g, err := meter.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(about))
		must(err)
		all = append(all, g)
		return g
	}
	schedules := counter("lockpick.fleet.schedules", "{schedule}", "Schedules whose results are in the bucket.")
	violated := counter("lockpick.fleet.violations", "{schedule}", "Schedules that violate a property, as a fault or as a limit.")
	classes := gauge("lockpick.fleet.classes", "{class}", "Classes of outcomes, estimated if they are many.")
	redelivered := counter("lockpick.fleet.redeliveries", "{piece}", "How often pieces that are done were handed out again.")
	failures := counter("lockpick.fleet.failures", "{piece}", "How often a worker gave a piece back after an error, since the server began.")
	doubles := counter("lockpick.fleet.doubles", "{piece}", "How often a result was there already, since the server began.")
	pieces := gauge("lockpick.fleet.pieces", "{piece}", "Pieces by where they are.")
	workers := gauge("lockpick.fleet.workers", "{worker}", "Workers that were heard of in the last 30 s.")
	spent, err := meter.Float64ObservableCounter("lockpick.fleet.processor.time", metric.WithUnit("s"), metric.WithDescription("Processor time of the runs."))
	must(err)
	all = append(all, spent)
	if failed != nil {
		return failed
	}
	state := func(name string) metric.MeasurementOption {
		return metric.WithAttributes(attribute.String("state", name))
	}
	_, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		m.mutex.Lock()
		s := m.last
		m.mutex.Unlock()
		search := metric.WithAttributes(attribute.String("search", s.Title))
		o.ObserveInt64(schedules, int64(s.Schedules), search)
		o.ObserveInt64(classes, int64(s.Classes), search)
		o.ObserveInt64(redelivered, int64(s.Redelivered), search)
		o.ObserveInt64(failures, int64(s.Failures), search)
		o.ObserveInt64(doubles, int64(s.Doubles), search)
		o.ObserveInt64(workers, int64(s.alive(time.Now())), search)
		o.ObserveFloat64(spent, s.Spent.Seconds(), search)
		for _, f := range s.Found {
			o.ObserveInt64(violated, int64(f.Schedules), search, metric.WithAttributes(attribute.String("property", f.Property), attribute.Bool("limit", f.Limit)))
		}
		for _, one := range []struct {
			name string
			n    int
		}{{"done", s.Done}, {"aside", s.Aside}, {"waiting", s.Waiting}, {"out", s.Out}} {
			o.ObserveInt64(pieces, int64(one.n), search, state(one.name))
		}
		return nil
	}, all...)
	return err
}

// alive returns the number of workers heard of recently.
func (s *Status) alive(now time.Time) (n int) {
	for _, w := range s.Workers {
		if now.Sub(w.Last) < 30*time.Second {
			n++
		}
	}
	return n
}

func (m *metrics) saw(s Status) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.last = s
}

// close sends the unsent values.
func (m *metrics) close() error {
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	return m.provider.Shutdown(ctx)
}
