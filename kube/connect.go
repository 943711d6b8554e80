package kube

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/kube/store"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// Store is Kubernetes: one control plane with leases, of one, three or five API servers.
var Store stage.Store = store.Store

func init() { stage.Link("kube.Store", "github.com/lockpick-dev/lockpick/kube") }

// URL is where clients of [Connect] and [Transport] reach the API servers.
const URL = "http://kubernetes"

// Connect returns an HTTP client of a client process, over [Transport]. It has no time-out.
func Connect(h cell.Host) *http.Client { return &http.Client{Transport: Transport(h)} }

// Transport returns the transport of a client process to the API servers. It is net/http's own, unmodified,
// except:
//
//   - Whatever host a URL names, a connection leads to one of the API servers, as through a load balancer:
//     each begins with the next server, and goes on to another if one refuses, or does not answer within
//     two seconds.
//   - Of several goroutines of the process that make a request in one step, one goes on after the other: they
//     take connections from one pool, and the scheduler would decide which gets which.
//   - Answers are not compressed.
//
// It serves plain HTTP/1.1: the simulated servers have no TLS and no HTTP/2.
func Transport(h cell.Host) http.RoundTripper {
	c := h.AsClient().Reach(Store.ID(), "kube.Store")
	d := &dialer{client: c}
	base := &http.Transport{DialContext: d.dial, DisableCompression: true, MaxIdleConnsPerHost: 25}
	c.Cleanup(base.CloseIdleConnections)
	if c.Process() == nil {
		return base
	}
	return &inTurn{base, c.Process()}
}

// inTurn lets requests of one step begin one after another.
type inTurn struct {
	*http.Transport
	process *sim.Process
}

// RoundTrip makes a request.
func (t *inTurn) RoundTrip(r *http.Request) (*http.Response, error) {
	t.process.AwaitTurnAnyway(r.Method+" "+r.URL.RequestURI(), t.Transport)
	return t.Transport.RoundTrip(r)
}

// dialer connects to one of the servers.
type dialer struct {
	client *cell.Client

	mu   sync.Mutex
	next int // the server with which the next connection begins
}

// connectTimeout is how long the load balancer waits for a server.
const connectTimeout = 2 * time.Second

// dial connects to the first server that accepts. The goroutines of a connection send for all threads of the
// process.
func (d *dialer) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	p := d.client.Process()
	if p != nil {
		p.WorkForAll()
		p.AwaitTurnFor("connects", d)
	}
	d.mu.Lock()
	first := d.next
	d.next++
	d.mu.Unlock()
	list := d.client.Addresses()
	var failed error
	for i := range list {
		address := list[(first+i)%len(list)]
		conn, err := d.try(ctx, p, network, address)
		if err == nil {
			return conn, nil
		}
		failed = fmt.Errorf("kube: connect to API server %s: %w", address, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, failed
}

// try connects to a server.
func (d *dialer) try(ctx context.Context, p *sim.Process, network, address string) (net.Conn, error) {
	if p != nil {
		return p.DialContext(ctx, network, address, connectTimeout)
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return d.client.Dial(ctx, network, address)
}

// Holder is the view of a lock that is the Lease of its name ([cell.Client.LockName]) in a namespace: the client
// has it that holderIdentity names, until leaseDurationSeconds after the last change. Nobody has it if
// holderIdentity is empty. Pass it to locktest.Ownership.
func Holder(namespace string) model.Ownership {
	return model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
		if r.Key != namespace+"/"+cell.LockName || r.Value.Text == "" {
			return nil, nil
		}
		return []model.Share{{Holder: r.Value.Text, Count: 1, Until: r.ExpiresAt}}, nil
	})
}
