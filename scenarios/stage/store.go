package stage

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Store is a kind of store. It builds its servers into a world, and defines their
// parameters and terms. It is independent of locks and scenarios. A Store has no state:
// runs of several worlds may use it concurrently.
type Store interface {
	// ID returns its name in traces and on command lines, such as "zookeeper".
	ID() string
	// Terms returns its terms.
	Terms() Terms
	// Shape returns the parameters of its servers, such as their number.
	Shape() []Setting
	// Faults returns its own faults, beside the common ones.
	Faults() []*Fault
	// Traits returns its capabilities that not every store has, with its servers set up by
	// the parameters.
	Traits(Params) Traits
	// Timing returns how long its clients wait.
	Timing() Timing
	// Lanes returns the names of the nodes of each independent server, in the order in which
	// Build makes them.
	Lanes(Params) [][]string
	// Build builds the servers into a world. It passes every change of their records to
	// observe, and notes for the reader: see [model.Note].
	Build(w *sim.World, p Params, observe func(model.Observation)) Cluster
	// Versions returns the versions of the compiled-in client libraries, by name.
	Versions() map[string]string
}

// Electing is a [Store] whose serving nodes may be chosen by processes other than nodes: see [Elected].
type Electing interface {
	// ElectorLanes returns the names of these electors, of all servers, and Elector the noun for one.
	ElectorLanes(Params) []string
	Elector() string
}

// Settling is a [Store] whose servers need time to recover after the last fault: nodes that have been replaced become
// followers later.
type Settling interface {
	// Settles returns how long that takes, 0 if it takes no time with these parameters.
	Settles(Params) time.Duration
}

// Guarding is a [Store] with settings that make serving nodes refuse requests when they do not reach
// their followers, since others may have replaced them.
type Guarding interface {
	// Guard returns these settings, with a text for reports; none if they do not apply.
	Guard(Params) (settings []OwnSetting, text string)
}

// Dividing is a [Store] whose records may be divided into parts on different servers; each record belongs to one
// part.
type Dividing interface {
	// Parts returns a function that names the part of a key; nil if each server has all records.
	Parts(Params) func(key string) string
}

// Describer is a [Store] whose servers have decisions of their own, beside those of the
// kernel and of faults.
type Describer interface {
	// Describe describes the effect of a choice of such a decision; it returns "" for
	// other choices.
	Describe(*Choice) string
}

// Traits are capabilities that some stores have and others lack.
type Traits struct {
	// Splits is set if two nodes of a server may serve at once: one that was cut off, and
	// one that has taken its place.
	Splits bool
	// Abandons is set if a request may take effect after its client has given it up and
	// uses another connection.
	Abandons bool
	// Sessions is set if records may live with their client's session.
	Sessions bool
	// KeepsAlive is set if client libraries keep sessions alive by themselves, so that a record
	// that lives with one may be held for longer than a session lasts.
	KeepsAlive bool
	// LocalReads is set if followers answer clients from their own data, which may be old.
	LocalReads bool
	// Elects is set if the nodes replace a leader by themselves.
	Elects bool
	// Moves is set if parts of the records can move from one server to another.
	Moves bool
	// ThreadsRace is set if the client library lets the scheduler choose which of several threads
	// of a process goes on first, so that runs with several threads may differ.
	ThreadsRace bool
	// Measured is set if clients measure the ends of records, by clocks that do not jump: see [model.Terms].
	Measured bool
}

// Topology is the name of the setting of stores whose servers can be deployed in several ways. Its
// values have names.
const Topology = "topology"

// PoolSize is the name of the setting of stores whose clients have a connection pool: the
// most connections of a client process, 0 for any number.
const PoolSize = "connections"

// Timing is how long the clients of a store wait.
type Timing struct {
	// Timeout is the default time-out of the client library as compiled in.
	Timeout time.Duration
	// Usual replaces the time-out of a connection on which the client has set none. Long is
	// the longest time that clients of any version wait. Neither depends on the compiled-in
	// version, so that tapes replay with other versions.
	Usual, Long time.Duration
	// Shortest is the shortest lease that the store grants, 0 if any is possible. It
	// replaces shorter leases of scenarios.
	Shortest time.Duration
	// Recovery is how long a client may still be busy after a fault is over, with its
	// time-outs and retries.
	Recovery time.Duration
}
