package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Lock is a lock that can be put into scenarios by name.
type Lock struct {
	// ID is its name on the command line.
	ID string
	// Summary says in one line what it does, and its flaw if it has one.
	Summary string
	// Store is where it lives, nil for the default one.
	Store stage.Store
	// Followers is how many nodes it needs at least beside the one that serves:
	// scenarios that have fewer by default have as many for it.
	Followers int
	// Servers is how many independent servers it needs at least, 0 for one.
	Servers int
	// Threads is how many threads each client process has at least, 0 for one: for a
	// lock with a part in the process.
	Threads int
	// Single is set if its record lives on one of them all the same, and what is
	// on the others is no record of who holds the lock.
	Single bool
	// Ownership reads who has the lock, for one that is more than one value
	// under one key; nil for the others.
	Ownership model.Ownership
	// Queue is the key of the list in which those stand who wait for the lock, for
	// one that promises to be given in that order: fair-order is judged then.
	Queue string
	// Renews is set if it renews its leases for as long as they are held, so that
	// clients work for longer than a lease where the scenario asks for that.
	Renews bool
	// Cures say what the lock does that might help who has another, in words: "a fenced
	// lock". Of a store's locks the first is tried that has a cure.
	Cures map[Cure]string
	// Spec says what kind of object it is; the zero Spec is a mutex. Of a
	// permit-semaphore without Permits, a latch without Count and a barrier without
	// Parties, how many there are goes by how many threads of clients there are;
	// see [Client.Spec].
	Spec model.Spec
	// New makes a mutex, which may be re-entrant, fair or fenced; Make an object of
	// another kind.
	New  NewLock
	Make NewObject
}

// needs raises the parameters to what the lock needs at least.
func (l Lock) needs(p *Params) {
	p.Followers, p.Servers, p.Threads = max(p.Followers, l.Followers), max(p.Servers, l.Servers), max(p.Threads, l.Threads)
}

// FindLock returns the lock with the given id.
func FindLock(locks []Lock, id string) (Lock, error) {
	var ids []string
	for _, l := range locks {
		if l.ID == id {
			return l, nil
		}
		ids = append(ids, l.ID)
	}
	return Lock{}, fmt.Errorf("there is no lock %q; there are %s", id, strings.Join(ids, ", "))
}

// store is where the lock lives.
func (l Lock) store() stage.Store {
	if l.Store == nil {
		return defaultStore
	}
	return l.Store
}

// Stores are the stores in which locks live, each once, in the order of the locks.
func Stores(locks []Lock) (list []stage.Store) {
	for _, l := range locks {
		if !slices.Contains(list, l.store()) {
			list = append(list, l.store())
		}
	}
	return list
}
