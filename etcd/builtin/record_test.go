package builtin_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/etcd/clientlocks"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// failure is one of the client library's locks: found in the use that shows it, and not in the
// same use without what is wrong.
type failure struct {
	name               string
	bad, good          cell.Subject
	scenario, property string
}

// ofLocks are failures of the built-in locks, for which there is no other use.
func ofLocks(t *testing.T) []failure {
	return []failure{
		// Campaign waits until the keys before its own are gone, and does not look whether its
		// own is there: its lease may have ended meanwhile.
		{"campaign", known(t, "etcd-election"), nil, "gc-pause", "truthful-acquire"},
		// Unlock deletes a key and does not look whether there was one.
		{"unlock", known(t, "etcd-mutex"), nil, "gc-pause", "truthful-release"},
		// Unlock gives up when a server does, and the session keeps the key alive.
		{"key kept alive", known(t, "etcd-mutex"), nil, "failover-loss", "progress"},
	}
}

// ofUses are failures in programs that repeat what has failed.
var ofUses = []failure{
	// The answer to Lock's transaction is lost. Lock has not noted the revision of its key,
	// so Unlock takes the lock for released, and the key stays for as long as the session.
	// Until 3.5 Unlock deletes it.
	{
		"lost answer of Lock", cell.Mutex(clientlocks.Use{Make: clientlocks.NewMutex, Sessions: 2, Waits: true}.New), cell.Mutex(clientlocks.Use{Make: clientlocks.NewMutex, Sessions: 2, Waits: true, Closes: true}.New),
		"lost-reply", "no-orphan",
	},
	// The answer to Unlock is lost. When it is called again its session has the lock anew,
	// by the same key, which it deletes (etcd-io/etcd#22082).
	{
		"stale Unlock", cell.Mutex(clientlocks.Use{Make: clientlocks.NewMutex, Sessions: 1, Later: true}.New), cell.Mutex(clientlocks.Use{Make: newCheckedMutex, Sessions: 1, Later: true}.New),
		"lost-reply", "mutual-exclusion",
	},
	// Campaign's wait fails because what it watches from is compacted. It forgets its key,
	// and Resign does nothing (etcd-io/etcd#21128). Lock deletes the key.
	{
		"Campaign leaves its key", cell.Mutex(clientlocks.Use{Make: clientlocks.NewElection, Sessions: 2, Closes: true, Compacts: true}.New),
		cell.Mutex(clientlocks.Use{Make: clientlocks.NewMutex, Sessions: 2, Closes: true, Compacts: true}.New), "lost-reply", "no-orphan",
	},
	// Resign fails, and forgets its key. When it is called again it does nothing
	// (etcd-io/etcd#22123). Unlock deletes the key.
	{
		"Resign forgets", cell.Mutex(clientlocks.Use{Make: clientlocks.NewElection, Sessions: 2, Closes: true}.New), cell.Mutex(clientlocks.Use{Make: clientlocks.NewMutex, Sessions: 2, Closes: true}.New),
		"failover-loss", "progress",
	},
	// The session of a client that waits ends, and Lock waits on until the lock is released
	// (etcd-io/etcd#19597). A context that ends with the session is a help.
	{
		"waiter not woken", cell.Mutex(clientlocks.Use{Make: clientlocks.NewMutex, Sessions: 1}.New), cell.Mutex(clientlocks.Use{Make: newWatchfulMutex, Sessions: 1}.New),
		"watchdog-late", "vain-wait",
	},
}

// TestTrackRecord finds the failures of the client library's locks.
func TestTrackRecord(t *testing.T) {
	for _, f := range slices.Concat(ofLocks(t), ofUses) {
		t.Run(f.name, func(t *testing.T) {
			on := []locktest.Option{
				locktest.On(etcd.Store), locktest.Ownership(model.SequenceOwnership{Prefix: "/" + cell.LockName + "/", ByRevision: true}),
				locktest.Only(f.scenario), locktest.Properties(f.property), locktest.Renews(),
			}
			t.Run("bad", func(t *testing.T) {
				locktest.CheckSubject(t, f.bad, append(on, locktest.Expect(f.scenario, f.property))...)
			})
			if f.good != nil {
				t.Run("good", func(t *testing.T) { locktest.CheckSubject(t, f.good, on...) })
			}
		})
	}
}

// known is a built-in lock.
func known(t *testing.T, id string) cell.Subject {
	l, err := scenarios.Registry(builtin.Locks()).Lock(id)
	if err != nil {
		t.Fatal(err)
	}
	return l.Subject
}
