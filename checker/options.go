package checker

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Options are the inputs of judging besides the history.
type Options struct {
	// Added are properties besides the checker's own. They have passed [Validate].
	Added []Property
	// Spec is the kind of object, for one that is no mutex; [model.History].Calls
	// then are its calls. The zero Spec is a mutex.
	Spec model.Spec
	// ProgressBound is how long, once the world has healed, a client may still wait
	// for the lock. It must include legal delays: the TTL of a dead holder, the
	// queue ahead. Zero means that progress is not judged: the property is not
	// applicable.
	ProgressBound time.Duration
	// LockKeys are the keys that hold the lock, without counters and other keys that it uses. Nil means those of the history
	// ([model.History.LockKeys]). Empty but not nil means that the lock has none.
	LockKeys []string
	// Ownership, if set, finds the holders in the records of each authority, in place of LockKeys, for a lock that is more
	// than one value under one key. If it cannot read a record, properties that need the holder are undecided.
	Ownership model.Ownership
	// Queue is the key of the list of waiters, with the names that Ownership gives
	// to holders; empty if the lock promises no order.
	Queue string
	// Nodes is the number of independent nodes that have the lock's key; a majority of them grants it. Less than 2 means that
	// one authority has the key.
	Nodes int
	// Servers are groups of nodes that may take each other's place, one for each
	// independent server. A node in no group is a server by itself.
	Servers [][]string
	// Apart is set if the lock chose one of several independent servers, so that one authority has the key. What one server
	// grants does not end what another has granted.
	Apart bool
	// Part returns the part of the store that a key belongs to, for a store whose parts are on several of the Servers and may
	// move ([model.Assigned]); nil if the records of a lock are together.
	Part func(key string) string
	// Terms are the store's nouns, for the sentences.
	Terms model.Terms
	// Drift is the time by which a lease may outlast the key in the store.
	Drift time.Duration
	// OrphanBound is how long a key that was left behind may block others. It must
	// be well under the TTL, since expiry removes the key. If it is zero, no-orphan
	// and late-orphan are not applicable.
	OrphanBound time.Duration
	// CancelBound is how long an operation whose context has ended may take with
	// no request in flight; zero means 1 s.
	CancelBound time.Duration
	// WakeupBound is how long the lock may be free while a client waits for it. If
	// it is zero, bounded-wakeup is not applicable.
	WakeupBound time.Duration
	// Recovery is how long clients that were waiting when the world healed may take
	// to notice a missed wake-up. Zero means that such waits are excused from
	// bounded-wakeup.
	Recovery time.Duration
	// SearchSteps is the number of steps of the model that the search for a
	// linearization may try; zero means 500,000. When they are used up the verdict
	// is Undecided, never Holds. It counts steps and not time, so that a verdict is
	// the same on every machine.
	SearchSteps int
}

// defaultCancelBound is used if Options.CancelBound is zero.
const defaultCancelBound = time.Second

// defaultSearchSteps is used if Options.SearchSteps is zero. A search of that many steps takes some tenths of a second,
// less than the watchdog of a search allows.
const defaultSearchSteps = 500_000
