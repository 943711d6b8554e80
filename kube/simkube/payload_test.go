package simkube

import (
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim/payload"
)

// TestPayload: a trace has requests, answers and events in words.
func TestPayload(t *testing.T) {
	_, r := run(t, Options{}, func(p *play) {
		p.ask("POST", object("lock", "", "c1"))
		p.ask("PUT lock", object("lock", "1", ""))
		p.plan(2*time.Second, func() { p.cluster.Nodes()[0].propose(&entry{operation: &remove{namespace: "default", name: "lock"}}) })
		p.events("GET ?watch=1&timeoutSeconds=5")
		p.ask("GET lock", "")
		p.ask("GET", "")
	})
	var got []string
	segments := payload.NewSegments(r.Events)
	for _, e := range r.Events {
		if len(e.Payload) > 0 && e.Conn > 0 {
			got = append(got, segments.Of("kube", &e).Text)
		}
	}
	want := []string{
		"POST default/leases: c1", "201 Created: c1, version 2",
		"PUT default/lock: nobody, version 1", "409 Conflict: the object has been modified; please apply your changes t…",
		"GET default/leases?watch=1&timeoutSeconds=5", "200 OK; ADDED c1, version 2", "DELETED c1, version 3", "(the end)",
		"GET default/lock", `404 Not Found: leases.coordination.k8s.io "lock" not found`,
		"GET default/leases", "200 OK: version 3",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
