package etcd_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/payload"
	"github.com/lockpick-dev/lockpick/storetest"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// campaigner is concurrency.Election as a lock, with a session for each acquisition.
type campaigner struct {
	client *clientv3.Client
	prefix string
	ttl    int
}

func newCampaigner(c *cell.Client) lock.Locker {
	return &campaigner{etcd.Connect(c), "/" + c.LockName(), int(c.TTL().Seconds())}
}

func (l *campaigner) Acquire(ctx context.Context) (lock.Lease, error) {
	granted, err := l.client.Grant(ctx, int64(l.ttl))
	if err != nil {
		return nil, err
	}
	session, err := concurrency.NewSession(l.client, concurrency.WithLease(granted.ID))
	if err != nil {
		return nil, err
	}
	e := concurrency.NewElection(session, l.prefix)
	if err := e.Campaign(ctx, "leader"); err != nil {
		return nil, err
	}
	return leads{e, session}, nil
}

type leads struct {
	*concurrency.Election
	session *concurrency.Session
}

func (l leads) Release(ctx context.Context) error { return l.Resign(ctx) }

func (l leads) Lost() <-chan struct{} { return l.session.Done() }

var first = model.SequenceOwnership{Prefix: "/" + cell.LockName + "/", ByRevision: true}

// TestLibrary: Campaign returns without an error when its lease has ended while it waited.
// The case is told in etcd's words.
func TestLibrary(t *testing.T) {
	r := locktest.Explore(t, newCampaigner, locktest.On(etcd.Store), locktest.Ownership(first),
		locktest.Only("gc-pause"), locktest.Properties(checker.TruthfulAcquire), locktest.Runs(200))
	if len(r.Findings) != 1 || r.Findings[0].Limit {
		t.Fatalf("%d findings: %v", len(r.Findings), r.Results[0])
	}
	var text strings.Builder
	if err := render.Explain(&text, r.Findings[0].Trace, render.Style{}); err != nil {
		t.Fatal(err)
	}
	if word := regexp.MustCompile(`(?i)redis|zookeeper|znode|primary|replica`).FindString(text.String()); word != "" || !strings.Contains(text.String(), "etcd1") {
		t.Errorf("%q is of another store:\n%s", word, &text)
	}
	for i := range r.Findings[0].Trace.Events {
		e := &r.Findings[0].Trace.Events[i]
		if said := payload.Of("etcd", r.Findings[0].Trace.Events, e).Text; strings.Contains(said, `\x`) || strings.Contains(said, "began before") {
			t.Errorf("event %d is not in etcd's words: %s", e.Seq, said)
		}
	}
}

// TestScenariosThatDoNotApply: there is nothing that a cluster cannot suffer, but for what is about transactions and pools.
func TestScenariosThatDoNotApply(t *testing.T) {
	locks := []cell.Lock{{ID: "library", Store: etcd.Store, Subject: cell.Mutex(newCampaigner), Reading: cell.Reading{Ownership: first}}}
	storetest.Lacks(t, locks[0],
		"etcd has no transactions that clients commit",
		"clients of etcd take no connections from a pool",
		"transactions of etcd do not wait for each other",
		"two members never serve at once",
		"the keys of etcd do not move from one server to another",
		"the simulation of etcd has no errors that requests have not caused")
	for _, s := range scenarios.All() {
		if c, err := scenarios.Registry(locks).Cell(s.ID, "library", nil); err != nil || c.Params.Followers < 2 {
			t.Errorf("%s: %d followers make no majority without a leader: %v", s.ID, c.Params.Followers, err)
		}
	}
}
