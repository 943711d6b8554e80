package etcd_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/verdicts"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// grantedBefore is a lock that asks for its lease before it waits. The lease has no end for the
// holder, and tells of no loss.
type grantedBefore struct {
	client *clientv3.Client
	prefix string
	ttl    int64
	renews bool
}

func newGrantedBefore(renews bool) func(c *cell.Client) lock.Locker {
	return func(c *cell.Client) lock.Locker {
		return &grantedBefore{etcd.Connect(c), "/" + c.LockName() + "/", int64(c.TTL().Seconds()), renews}
	}
}

// mine is a lease of it.
type mine struct {
	of   *grantedBefore
	id   clientv3.LeaseID
	stop func()
}

func (g *grantedBefore) Acquire(ctx context.Context) (lock.Lease, error) {
	lease, err := g.client.Grant(ctx, g.ttl)
	if err != nil {
		return nil, err
	}
	alive, stop := context.WithCancel(context.Background())
	held := &mine{g, lease.ID, stop}
	if g.renews {
		answers, err := g.client.KeepAlive(alive, lease.ID)
		if err != nil {
			return nil, errors.Join(err, held.leave())
		}
		go func() {
			for range answers {
			}
		}()
	}
	if err := held.wait(ctx); err != nil {
		return nil, errors.Join(err, held.leave())
	}
	return held, nil
}

// wait waits until the own key is the first.
func (m *mine) wait(ctx context.Context) error {
	key := m.of.prefix + strconv.FormatInt(int64(m.id), 16)
	if _, err := m.of.client.Put(ctx, key, "", clientv3.WithLease(m.id)); err != nil {
		return err
	}
	for {
		all, err := m.of.client.Get(ctx, m.of.prefix, clientv3.WithFirstCreate()...)
		switch {
		case err != nil:
			return err
		case len(all.Kvs) == 0:
			return errors.New("the lease has ended")
		case string(all.Kvs[0].Key) == key:
			return nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (m *mine) leave() error {
	m.stop()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := m.of.client.Revoke(ctx, m.id)
	return err
}

func (m *mine) Release(context.Context) error { return m.leave() }

// TestLeaseUsedUp: of a lease that is granted before the wait, and not renewed, too little is left
// when a holder before has crashed. If it is renewed, it is to tell of its loss.
func TestLeaseUsedUp(t *testing.T) {
	golden.Pinned(t, "go.etcd.io/etcd/client/v3") // which schedule shows it first
	for _, e := range []struct {
		name, scenario string
		renews         bool
		words          string
	}{
		{"not renewed", "session-expiry", false, "had passed when its acquire returned"},
		{"renewed", "gc-pause", true, "(" + model.NotTold + ")"},
	} {
		t.Run(e.name, func(t *testing.T) {
			l := cell.Lock{ID: "granted-before", Summary: "a lock", Store: etcd.Store, Subject: cell.Mutex(newGrantedBefore(e.renews)), Reading: cell.Reading{Ownership: first}}
			found, _ := verdicts.Of(t, l, 100, e.scenario)
			for _, p := range []string{checker.TimelyLoss, checker.MutualExclusion} {
				if told := found[p]; !strings.Contains(told, e.words) || strings.Contains(told, "("+model.UsedUp+")") == e.renews {
					t.Errorf("%s: %q", p, told)
				}
			}
		})
	}
}
