package etcd

import (
	"bytes"
	"strings"
	"testing"
	"time"

	etcdstore "github.com/lockpick-dev/lockpick/etcd/store"
	"github.com/lockpick-dev/lockpick/sim"
)

// TestWatchesBelongToNobody: the channel that watches wait for is not from outside the
// bubble. With one that is, virtual time stands still from the first watch on.
func TestWatchesBelongToNobody(t *testing.T) {
	if valCtxCh != nil {
		t.Fatal("the library's watches wait for a channel from outside")
	}
	if !contains(t, calm, New, "/etcdserverpb.Watch/Watch") {
		t.Error("a run has no watch, so it does not show that virtual time passes")
	}
}

// pings reports whether clients send pings, to measure the bandwidth.
func pings(t *testing.T, client newClient) bool {
	const ping = "\x00\x00\x08\x06\x00\x00\x00\x00\x00"
	return contains(t, calm, client, ping)
}

// contains reports whether a segment in a calm run of a plan has a text in it.
func contains(t *testing.T, p plan, client newClient, text string) bool {
	t.Helper()
	r := p.run(nil, true, client)
	if r.Failure != nil {
		t.Fatal(r.Failure)
	}
	for _, e := range r.Events {
		if bytes.Contains(e.Payload, []byte(text)) {
			return true
		}
	}
	return false
}

// TestFirstKeepAlive: the stream that keeps leases alive is opened a little later than the
// lease was granted, so that its first message leaves with it and the timers of its loop
// are due at instants of their own.
func TestFirstKeepAlive(t *testing.T) {
	r := calm.run(nil, true, nil)
	for _, e := range r.Events {
		if e.Kind == sim.EventDeliver && e.Peer == "c1" && bytes.Contains(e.Payload, []byte(etcdstore.KeepAliveMethod)) {
			_, after, _ := strings.Cut(string(e.Payload), etcdstore.KeepAliveMethod)
			if !strings.Contains(after, "\x00\x00\x00\x00\n\b") {
				t.Errorf("the stream begins without a message: %q", after)
			}
			if e.At > 2*time.Millisecond {
				t.Errorf("it begins at %v", e.At)
			}
			return
		}
	}
	t.Error("no stream keeps leases alive")
}

// TestLeastJitter: no wait before a new attempt has a random part of a nanosecond.
func TestLeastJitter(t *testing.T) {
	if f := Config(nil, nil).BackoffJitterFraction; f <= 0 || f*float64(time.Hour) >= 1 {
		t.Errorf("the random part is %g", f)
	}
	if f := connectParams.Backoff.Jitter; f != 0 {
		t.Errorf("the random part of waits to connect is %g", f)
	}
}
