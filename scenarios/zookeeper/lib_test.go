package zookeeper_test

import (
	"context"
	"testing"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/zookeeper"
)

type library struct {
	conn *zk.Conn
	path string
}

func (l *library) Acquire(context.Context) (lock.Lease, error) {
	k := zk.NewLock(l.conn, l.path, zk.WorldACL(zk.PermAll))
	if err := k.Lock(); err != nil {
		return nil, err
	}
	return held{k}, nil
}

type held struct{ *zk.Lock }

func (h held) Release(context.Context) error { return h.Unlock() }

func TestLibrary(t *testing.T) {
	r := scenarios.Explore(t, func(c *scenarios.Client) lock.Locker {
		conn, _ := zookeeper.Connect(c)
		return &library{conn, "/" + c.LockName()}
	}, scenarios.On(zookeeper.Store), scenarios.Runs(60), scenarios.Only("session-expiry", "stale-follower", "election", "node-restart"), scenarios.Ownership(model.SequenceOwnership{Prefix: "/lock/"}))
	for _, f := range r.Findings {
		t.Logf("%s: limit %v %s: %s", f.Scenario, f.Limit, f.Property, f.Trace.Verdict().Sentence)
	}
	for _, result := range r.Results {
		t.Log(result.String())
		for _, x := range result.Troubles[:min(1, len(result.Troubles))] {
			t.Log(x.Reason, x.Stack)
		}
	}
}
