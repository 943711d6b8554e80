package pullotel_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/pull/pullotel"
)

// free is a store that gives its lock to anybody, and has forgotten it at the
// release.
type free struct{}

func (free) AddIfAbsent(context.Context, string, string, time.Duration) (bool, error) {
	return true, nil
}
func (free) CompareAndDelete(context.Context, string, string) (bool, error) { return false, nil }
func (free) CompareAndExpire(context.Context, string, string, time.Duration) (bool, error) {
	return false, nil
}

// TestMetrics: what a reader collects of a lock that is taken, lost and
// released too late.
func TestMetrics(t *testing.T) {
	reader := sdk.NewManualReader()
	metrics, err := pullotel.New(sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("test"))
	if err != nil {
		t.Fatal(err)
	}
	l := pull.New(free{}, "orders", pull.Options{
		TTL: 60 * time.Millisecond, Renew: true, Handlers: []pull.Handler{pull.NewMetering(metrics)},
	})
	lease, err := l.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	<-lease.(interface{ Lost() <-chan struct{} }).Lost()
	_ = lease.Release(t.Context())

	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all.ScopeMetrics[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Histogram[float64]:
			got = append(got, fmt.Sprint(m.Name, " ", m.Unit, " ", data.DataPoints[0].Count, " ", said(data.DataPoints[0].Attributes)))
		case metricdata.Histogram[int64]:
			got = append(got, fmt.Sprint(m.Name, " ", m.Unit, " ", data.DataPoints[0].Sum, " ", said(data.DataPoints[0].Attributes)))
		case metricdata.Sum[int64]:
			got = append(got, fmt.Sprint(m.Name, " ", m.Unit, " ", data.DataPoints[0].Value, " ", said(data.DataPoints[0].Attributes)))
		}
	}
	slices.Sort(got)
	want := []string{
		"lock.acquire.duration s 1 lock=orders outcome=succeeded ",
		"lock.acquire.requests {request} 1 lock=orders outcome=succeeded ",
		"lock.hold.duration s 1 lock=orders outcome=not held ",
		"lock.lost {lease} 1 lock=orders ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func said(set attribute.Set) (text string) {
	for _, a := range set.ToSlice() {
		text += fmt.Sprintf("%s=%s ", a.Key, a.Value.Emit())
	}
	return text
}
