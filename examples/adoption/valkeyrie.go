package main

import (
	"context"

	"github.com/kvtools/etcdv3"
	"github.com/kvtools/redis"
	"github.com/kvtools/valkeyrie/store"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

var valkeyrieRedis = library{
	module: "github.com/kvtools/redis", dials: true,
	lock: cell.Lock{ID: "valkeyrie-redis", Summary: "Traefik's valkeyrie over Redis, which waits for messages about the key", Flawed: true,
		Store: redisstore.Store, Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
			s, err := redis.New(context.Background(), c.Addresses(), nil)
			return valkeyrie{c, s, err}
		}), Renews: true},
	expected: violates("valkeyrie-redis", ""),
}

var valkeyrieEtcd = library{
	module: "github.com/kvtools/etcdv3", dials: true,
	lock: cell.Lock{ID: "valkeyrie-etcd", Summary: "Traefik's valkeyrie over etcd", Flawed: true,
		Store: etcd.Store, Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
			s, err := etcdv3.New(context.Background(), c.Addresses(), nil)
			return valkeyrie{c, s, err}
		}), Reading: cell.Reading{Ownership: model.SequenceOwnership{Prefix: cell.LockName + "_lock/", ByRevision: true}}},
	expected: violates("valkeyrie-etcd", ""),
}

type valkeyrie struct {
	c *cell.Client
	store.Store
	err error
}

func (v valkeyrie) Acquire(ctx context.Context) (lock.Lease, error) {
	if v.err != nil {
		return nil, v.err
	}
	l, err := v.NewLock(ctx, v.c.LockName(), &store.LockOptions{Value: []byte(v.c.Name()), TTL: v.c.TTL()})
	if err != nil {
		return nil, err
	}
	// The context of Lock is that of the hold: what ends the wait must not end it.
	hold, end := context.WithCancel(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, end)()
	lost, err := l.Lock(hold)
	if err == nil && lost == nil {
		err = context.Cause(ctx) // the store over etcd returns no error
	}
	return valkeyrieLease{l, lost}, err
}

type valkeyrieLease struct {
	l    store.Locker
	lost <-chan struct{}
}

func (l valkeyrieLease) Release(ctx context.Context) error { return l.l.Unlock(ctx) }

func (l valkeyrieLease) Lost() <-chan struct{} { return l.lost }
