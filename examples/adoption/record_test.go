package main

import (
	"testing"

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
	}{
		// A LockContext that is cancelled in the middle of a try cleans up with the context that has just ended, so the clean-up is
		// never sent.
		{"redsync", redsyncLibrary, newRedsync, "cancel", "no-orphan"},
		// Obtain reports success however late Redis answers. A caller whose lease is over by then believes that it holds the lock.
		{"redislock", redislockLibrary, newRedislock, "late-reply", "truthful-acquire"},
		// Refresh does the same.
		{"refresh of redislock", redislockLibrary, newRedislock, "late-reply", "truthful-extend"},
		// A waiter's session ends while its process is stopped. Its request for the children is queued until the client has a new
		// session. Its own znode is not among them, which Lock does not check: no other is lower, so it returns as if it had the lock.
		{"double grant", zkLock, newZKLock, "gc-pause", "truthful-acquire"},
		// An error after Lock has created its znode leaves it there, and the client's next Lock waits behind it for as long as the
		// session lasts.
		{"orphan", zkLock, newZKLock, "lost-reply", "no-orphan"},
		// Unlock keeps the name of its znode when it fails. After the session has ended it answers for ever that there is no such
		// znode, and Lock that it is locked already.
		{"dead Unlock", zkLock, newKeptZKLock, "server-clock-jump", "progress"},
	} {
		t.Run(e.name, func(t *testing.T) {
			locktest.Check(t, e.newLock, locktest.On(e.of.lock.Store), locktest.Ownership(e.of.lock.Reading.Ownership),
				locktest.Only(e.scenario), locktest.Properties(e.property), locktest.Expect(e.scenario, e.property))
		})
	}
}

// newKeptZKLock makes one zk.Lock for all acquisitions of a client.
func newKeptZKLock(c *cell.Client) lock.Locker {
	l := newZKLock(c).(zkLocker)
	kept := l.take()
	l.take = func() *zk.Lock { return kept }
	return l
}
