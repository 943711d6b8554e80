package clientgo

import (
	"net/http"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/kube"
	"github.com/lockpick-dev/lockpick/sim"
)

// klog is set up before there is a run: it would keep what it makes in the first one, such as timers.
func init() { klog.SetLogger(logr.Discard()) }

// Config returns the configuration of client-go's clients in a client process. Such clients differ from those of a
// program in a cluster as follows:
//
//   - The transport is [kube.Transport], whose requests begin in a fixed order: HTTP/1.1 without TLS.
//   - Objects are in JSON, not in protobuf.
//   - The user agent is "lockpick". Client-go's own has the name of the program, by which runs of two builds would differ.
//   - The client has no rate limiter. Set QPS and Burst for one, which counts package time.
//   - Nothing is logged, unless the caller gives klog a logger again.
func Config(h cell.Host) *rest.Config {
	return &rest.Config{
		Host:          kube.URL,
		Transport:     inTurn(h),
		UserAgent:     "lockpick",
		QPS:           -1,
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON, AcceptContentTypes: runtime.ContentTypeJSON},
	}
}

// inTurn returns the transport of a client process.
func inTurn(h cell.Host) http.RoundTripper {
	p := h.AsClient().Process()
	if p == nil {
		return kube.Transport(h)
	}
	return &transport{kube.Transport(h), p}
}

// transport lets a request begin when all goroutines that go on in this step have done so. An elector's next try and
// the end of its patience are often due at one instant (10 s are five times 2 s): the try's context has then ended,
// whichever of the two the scheduler lets go first.
type transport struct {
	http.RoundTripper
	process *sim.Process
}

// RoundTrip makes a request, unless its context has ended by then.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.process.AwaitTurn(r.Method + " " + r.URL.RequestURI())
	if err := r.Context().Err(); err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // nothing was read of it
		}
		return nil, err
	}
	return t.RoundTripper.RoundTrip(r)
}
