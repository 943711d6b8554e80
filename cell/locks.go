package cell

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Lock is a lock that scenarios can use by name.
type Lock struct {
	// ID is its name on the command line.
	ID string
	// Summary describes the lock in one line, with its flaw if it has one.
	Summary string
	// Flawed is set if the lock has known faults, as a widely read listing or the lock of a
	// faulty library has. It is then never recommended.
	Flawed bool
	// Store is the store that the lock uses. It must be set; there is no default.
	Store stage.Store
	// Subject is the kind of lock with its constructor, such as Mutex(newLock).
	Subject Subject
	// Needs are the minimum parameters of a run with the lock.
	Needs Needs
	// Reading says how to find the holder in the records of the store.
	Reading Reading
	// Promises are the ids of the properties that the lock promises, among those that only some
	// locks do ([checker.Property].Promised). A lock with a Queue promises [checker.FairOrder].
	Promises []string
	// Renews is set if the lock renews its leases while they are held. Clients then hold it
	// for longer than a lease in some runs, and where the scenario asks for that. A lock whose
	// record lives with a session that the client library keeps alive does not need it: see
	// [stage.Traits].KeepsAlive.
	Renews bool
	// Cures are the flaws of other locks that this one avoids, with a phrase such as
	// "releases by one script". The first lock of a store that has a cure is used for it.
	Cures map[Cure]string
}

// Needs are the minimum parameters of a run. They raise lower values of a scenario.
type Needs struct {
	// Followers is the number of nodes beside the serving node, and Servers the number of
	// independent servers.
	Followers, Servers int
	// Threads is the number of threads per client process, for locks with state inside the
	// process.
	Threads int
	// Settings are the minimum values of settings that are specific to the store.
	Settings []OwnSetting
	// Topologies are the values of the parameter topology with which the lock runs; empty means all.
	Topologies []string
}

// Reading says how to find the holder of a lock in the records of a store. The zero Reading
// fits a lock whose record is one value under one key on each server.
type Reading struct {
	// Ownership finds the holder of a lock whose record is more than one value under one
	// key; nil for other locks.
	Ownership model.Ownership
	// Queue is the key of the list of waiters, for a lock that promises to serve them in
	// that order. It enables the property fair-order.
	Queue string
	// Single is set if the record of the lock lives on one server although the lock uses
	// several. Other keys on the other servers then do not show who holds the lock.
	Single bool
}

// Check returns an error that says what the lock lacks for a run, or nil.
func (l Lock) Check() error {
	switch {
	case l.ID == "":
		return fmt.Errorf("the lock %q has no ID", l.Summary)
	case l.Subject == nil:
		return fmt.Errorf("the lock %q has no Subject: add one, such as Subject: cell.Mutex(newLock)", l.ID)
	case l.Store == nil:
		return fmt.Errorf("lock %s: %w", l.ID, NoStore())
	}
	if err := l.Subject.check(); err != nil {
		return fmt.Errorf("lock %s: %w", l.ID, err)
	}
	return nil
}

// Noun names its kind in texts: "lock" or "program".
func (l Lock) Noun() string {
	if l.Subject.Spec().Kind == model.KindProgram {
		return "program"
	}
	return "lock"
}

// Construct makes the object for a client process: a [lock.Locker] for a mutex, the kind's own
// type otherwise. If it is an [io.Closer], it is closed at the end of the run. It panics if
// the constructor returns nil.
func (l Lock) Construct(c *Client) any { return l.join(c).object }

// Constructor returns the function that makes the object for a client process, such as a [NewLock]; nil for a program.
func (l Lock) Constructor() any { return l.Subject.constructor() }

// join makes the object for a client process.
func (l Lock) join(c *Client) member {
	m, err := l.Subject.join(c)
	if err != nil {
		panic(fmt.Sprintf("cell: lock %s: %v", l.ID, err))
	}
	return m
}

// promises reports whether the lock promises a property that only some locks do.
func (l Lock) promises(id string) bool {
	return slices.Contains(l.Promises, id) || id == checker.FairOrder && l.Reading.Queue != ""
}

// needs raises the parameters to the minimums of the lock and of its store.
func (l Lock) needs(p *Params) {
	p.Followers, p.Servers, p.Threads = max(p.Followers, l.Needs.Followers), max(p.Servers, l.Needs.Servers), max(p.Threads, l.Needs.Threads)
	for _, s := range l.Needs.Settings {
		p.Own = p.Own.With(s.Name, max(p.Own.Of(s.Name), s.Value))
	}
	for _, s := range l.Store.Shape() {
		s.Set(p, max(s.Of(*p), s.Min))
	}
	p.TTL = max(p.TTL, l.Store.Timing().Shortest)
	if l.Subject != nil {
		l.Subject.shape(p)
	}
}

// AtLeast returns the parameters, raised to the minimums of the lock and of its store.
func (l Lock) AtLeast(p Params) Params {
	l.needs(&p)
	return p
}

// UnknownError reports an id that no lock, or no store, has.
type UnknownError struct {
	What  string // "lock" or "store"
	ID    string
	Known []string // the ids that exist
}

// Error names the unknown id and the known ones.
func (e *UnknownError) Error() string {
	return wording.Unknown(e.What, e.ID, e.Known)
}

// Stores returns the stores that the locks use, one for each ID, in the order of the locks. Programs have stores of
// their own, with tables of their own.
func Stores(locks []Lock) (list []stage.Store) {
	for _, l := range locks {
		if !slices.ContainsFunc(list, func(s stage.Store) bool { return s.ID() == l.Store.ID() }) {
			list = append(list, l.Store)
		}
	}
	return list
}
