package simkube

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// play is a run of a cluster and a client.
type play struct {
	t       *testing.T
	cluster *Cluster
	process *sim.Process
	client  *http.Client
	seen    []model.Observation
	at      int // the server that it connects to
}

// run makes a run with a client.
func run(t *testing.T, o Options, client func(*play)) (*play, sim.Report) {
	t.Helper()
	p := &play{t: t}
	r := sim.Run(sim.Config{Record: true, Horizon: time.Hour}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: time.Millisecond})
		p.cluster = New(w, o, func(o model.Observation) { p.seen = append(p.seen, o) })
		p.process = w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.client = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return p.process.DialContext(ctx, network, p.cluster.Addresses()[p.at], 0)
		}}}
		w.OnEnd(p.client.CloseIdleConnections)
		p.process.Go(func() { client(p) })
	})
	if r.Failure != nil || r.Cut != "" {
		t.Fatalf("%+v %s", r.Failure, r.Cut)
	}
	return p, r
}

// plan calls f at a moment of the run.
func (p *play) plan(d time.Duration, f func()) {
	w := p.process.World()
	p.process.Mark(0, "plans", func(sim.Event) {
		w.At(p.cluster.Nodes()[0].Actor, d, sim.EventFault, sim.EventOptions{}, f)
	})
}

const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"

// ask makes a request, "PUT /path" with fields "Name: value", and returns the status and the body. A path that
// begins without a slash is a lease of the namespace default.
func (p *play) ask(request, body string, fields ...string) (int, string) {
	p.t.Helper()
	a, err := p.open(request, body, fields...)
	if err != nil {
		return 0, err.Error()
	}
	defer a.Body.Close()
	all, err := io.ReadAll(a.Body)
	if err != nil {
		return 0, err.Error()
	}
	return a.StatusCode, strings.TrimSpace(string(all))
}

func (p *play) open(request, body string, fields ...string) (*http.Response, error) {
	p.t.Helper()
	method, path, _ := strings.Cut(request, " ")
	switch {
	case path == "":
		path = leases
	case path[0] == '?':
		path = leases + path
	case path[0] != '/':
		path = leases + "/" + path
	}
	r, err := http.NewRequest(method, "http://kubernetes"+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	for _, f := range fields {
		if name, value, is := strings.Cut(f, ": "); is {
			r.Header.Set(name, value)
		}
	}
	return p.client.Do(r)
}

// wants makes a request, and compares the status and parts of the body with those wanted.
func (p *play) wants(request, body string, want int, parts ...string) {
	p.t.Helper()
	code, got := p.ask(request, body)
	missing := slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return strings.Contains(got, part) })
	if code != want || len(missing) > 0 {
		p.t.Errorf("%s %s: %d %s; want %d with %q", request, body, code, got, want, missing)
	}
}

// object is a lease of a holder; empty parts are left out.
func object(name, version, holder string) string {
	m := fmt.Sprintf(`"name":%q`, name)
	if version != "" {
		m += fmt.Sprintf(`,"resourceVersion":%q`, version)
	}
	return fmt.Sprintf(`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{%s},"spec":{"holderIdentity":%q,"leaseDurationSeconds":15}}`, m, holder)
}

// refusal returns how a run fails.
func refusal(t *testing.T, client func(*play)) *sim.Failure {
	t.Helper()
	r := sim.Run(sim.Config{}, func(w *sim.World) {
		p := &play{t: t}
		p.cluster = New(w, Options{}, func(model.Observation) {})
		p.process = w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.client = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return p.process.DialContext(ctx, network, p.cluster.Addresses()[p.at], 0)
		}}}
		w.OnEnd(p.client.CloseIdleConnections)
		p.process.Go(func() { client(p) })
	})
	return r.Failure
}
