package scenarios

import (
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Lock is a lock that scenarios can use by name.
type Lock struct {
	// ID is its name on the command line.
	ID string
	// Summary is one line: what it does, and its flaw if it has one.
	Summary string
	// Flawed is set if the lock is there to be caught, such as a widely read listing, or the
	// lock of a library with faults of its own. Nothing recommends it.
	Flawed bool
	// Store is the store that the lock uses, nil for the default.
	Store stage.Store
	// Followers is the least number of nodes beside the serving node. It raises the number
	// of a scenario that has fewer.
	Followers int
	// Servers is the least number of independent servers, 0 for one.
	Servers int
	// Threads is the least number of threads per client process, 0 for one. It is for locks
	// with state inside the process.
	Threads int
	// Single is set if the record of the lock lives on one server although the lock uses
	// several. Keys on the others are then no record of who holds the lock.
	Single bool
	// Ownership reads who has the lock from records that are more than one value under one
	// key; nil for other locks.
	Ownership model.Ownership
	// Queue is the key of the list of waiters, for a lock that promises to serve them in
	// that order. It enables the property fair-order.
	Queue string
	// Renews is set if the lock renews its leases while they are held. Clients then hold it
	// for longer than a lease where the scenario asks for that.
	Renews bool
	// Cures are the flaws of other locks that this one avoids, with a phrase such as "a
	// fenced lock". For each cure the first lock of a store that has it is used.
	Cures map[Cure]string
	// Spec is the kind of object; the zero Spec is a mutex. The number of clients' threads
	// determines missing Permits of a permit-semaphore, Count of a latch and Parties of a
	// barrier; see [Client.Spec].
	Spec model.Spec
	// New makes a mutex, which may be re-entrant, fair or fenced. Make makes an object of
	// another kind.
	New  NewLock
	Make NewObject
}

// needs raises the parameters to the minimums of the lock and of its store.
func (l Lock) needs(p *Params) {
	p.Followers, p.Servers, p.Threads = max(p.Followers, l.Followers), max(p.Servers, l.Servers), max(p.Threads, l.Threads)
	for _, s := range l.store().Shape() {
		n := s.Field(p)
		*n = max(*n, s.Min)
	}
	p.TTL = max(p.TTL, l.store().Timing().Shortest)
}

// AtLeast are the parameters, raised to the minimums of the lock and of its store.
func (l Lock) AtLeast(p Params) Params {
	l.needs(&p)
	return p
}

// FindLock returns the lock with the given id. The error is an [UnknownError].
func FindLock(locks []Lock, id string) (Lock, error) {
	var ids []string
	for _, l := range locks {
		if l.ID == id {
			return l, nil
		}
		ids = append(ids, l.ID)
	}
	return Lock{}, &UnknownError{What: "lock", ID: id, Known: ids}
}

// UnknownError says that there is no lock, or no store, with an id.
type UnknownError struct {
	What  string // "lock" or "store"
	ID    string
	Known []string // the ids that there are
}

// Error names the id, and those that there are.
func (e *UnknownError) Error() string {
	return wording.Unknown(e.What, e.ID, e.Known)
}

// store is the store that the lock uses.
func (l Lock) store() stage.Store {
	if l.Store == nil {
		return defaultStore
	}
	return l.Store
}

// StoreOf is the store that a lock uses: its own, or the default one.
func StoreOf(l Lock) stage.Store { return l.store() }

// Stores are the stores that the locks use, without duplicates, in the order of the locks.
func Stores(locks []Lock) (list []stage.Store) {
	for _, l := range locks {
		if !slices.Contains(list, l.store()) {
			list = append(list, l.store())
		}
	}
	return list
}
