package main

import (
	"testing"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord has failures of the newest versions, which docs/track-record.md lists.
func TestTrackRecord(t *testing.T) {
	for _, e := range []struct {
		name               string
		of                 library
		newLock            cell.NewLock
		scenario, property string
		options            []locktest.Option
	}{
		// A LockContext that is cancelled in the middle of a try cleans up with the context that has just ended, so the clean-up is
		// never sent.
		{"redsync", redsyncLibrary, newRedsync, "cancel", "no-orphan", nil},
		// All tries of one LockContext have one value. A try that has failed removes its keys, and a removal that is late finds
		// those of a later try.
		{"late clean-up", redsyncLibrary, newRedsyncFailFast, "late-request", "lease-honesty", []locktest.Option{locktest.Nodes(3), locktest.Runs(1000)}},
		// Obtain reports success however late Redis answers. A caller whose lease is over by then believes that it holds the lock.
		{"redislock", redislockLibrary, newRedislock, "late-reply", "truthful-acquire", nil},
		// Refresh does the same.
		{"refresh of redislock", redislockLibrary, newRedislock, "late-reply", "truthful-extend", nil},
		// A waiter's session ends while its process is stopped. Its request for the children is queued until the client has a new
		// session. Its own znode is not among them, which Lock does not check: no other is lower, so it returns as if it had the lock.
		{"double grant", zkLock, newZKLock, "gc-pause", "truthful-acquire", nil},
		// An error after Lock has created its znode leaves it there, and the client's next Lock waits behind it for as long as the
		// session lasts.
		{"orphan", zkLock, newZKLock, "lost-reply", "no-orphan", nil},
		// Unlock keeps the name of its znode when it fails. After the session has ended it answers for ever that there is no such
		// znode, and Lock that it is locked already.
		{"dead Unlock", zkLock, newKeptZKLock, "server-clock-jump", "progress", nil},
	} {
		t.Run(e.name, func(t *testing.T) {
			locktest.Check(t, e.newLock, append(e.options, locktest.On(e.of.lock.Store), locktest.Ownership(e.of.lock.Reading.Ownership),
				locktest.Only(e.scenario), locktest.Properties(e.property), locktest.Expect(e.scenario, e.property))...)
		})
	}
}

// newRedsyncFailFast has clients that end a try when no majority can be had any more, without the answers of the other servers.
func newRedsyncFailFast(c *cell.Client) lock.Locker {
	l := newRedsync(c).(redsyncer)
	l.options = []redsync.Option{redsync.WithFailFast(true)}
	return l
}

// newKeptZKLock makes one zk.Lock for all acquisitions of a client.
func newKeptZKLock(c *cell.Client) lock.Locker {
	l := newZKLock(c).(zkLocker)
	kept := l.take()
	l.take = func() *zk.Lock { return kept }
	return l
}
