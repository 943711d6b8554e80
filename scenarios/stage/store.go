package stage

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Store is a kind of store. It builds its servers into a world, and defines their
// parameters and terms. It knows no lock and no scenario. A Store is a stateless value:
// runs of several worlds may use it concurrently.
type Store interface {
	// ID returns its name in traces and on command lines, such as "zookeeper".
	ID() string
	// Terms returns its names for things.
	Terms() Terms
	// Shape returns the parameters of its servers, such as their number.
	Shape() []Setting
	// Faults returns its own faults, beside the common ones.
	Faults() []*Fault
	// Traits returns its capabilities that not every store has, as its servers are set up.
	Traits(Params) Traits
	// Timing returns how long its clients wait.
	Timing() Timing
	// Lanes returns the names of the nodes of each independent server, in the order in which
	// Build makes them.
	Lanes(Params) [][]string
	// Build builds the servers into a world. It passes every change of their records to
	// observe, and what the store shows of itself for the reader: see [model.Note].
	Build(w *sim.World, p Params, observe func(model.Observation)) Cluster
	// Versions returns the versions of the compiled-in client libraries, by name.
	Versions() map[string]string
}

// Electing is a [Store] whose serving nodes may be chosen by processes that are no nodes: see [Elected].
type Electing interface {
	// ElectorLanes returns the names of those processes, of all servers, and Elector is what one is called.
	ElectorLanes(Params) []string
	Elector() string
}

// Settling is a [Store] whose servers are not as before right after the last fault: those that have been replaced are
// made followers later.
type Settling interface {
	// Settles returns how long that takes, 0 if servers are set up so that it takes no time.
	Settles(Params) time.Duration
}

// Guarding is a [Store] whose serving nodes can be made to refuse requests when they do not reach their
// followers, since others may have replaced them.
type Guarding interface {
	// Guard has the settings for that, and describes them for reports; none if they do not apply.
	Guard(Params) (settings []OwnSetting, text string)
}

// Dividing is a [Store] whose records may be divided into parts that lie on different servers: each record is that of
// one of them.
type Dividing interface {
	// Parts returns a function that names the part of a key; nil if each server has all records.
	Parts(Params) func(key string) string
}

// Describer is a [Store] whose servers ask the tape more than the kernel and faults do.
type Describer interface {
	// Describe describes the effect of such a choice; empty if the choice is none of them.
	Describe(*Choice) string
}

// Traits are capabilities that some stores have and others lack.
type Traits struct {
	// Splits is set if two nodes of a server may serve at once: one that was cut off, and
	// the one that has taken its place.
	Splits bool
	// Abandons is set if a request may take effect after its client has given it up: it
	// arrives, or is executed, when the client already uses another connection.
	Abandons bool
	// Sessions is set if records may live with their client's session.
	Sessions bool
	// KeepsAlive is set if client libraries keep sessions alive by themselves, so that a record
	// that lives with one may be held for longer than a session lasts.
	KeepsAlive bool
	// LocalReads is set if followers answer clients from what they have, which may be old.
	LocalReads bool
	// Elects is set if the nodes replace a leader by themselves.
	Elects bool
	// Moves is set if parts of the records can move from one server to another.
	Moves bool
	// ThreadsRace is set if the client library leaves it to the scheduler which of several threads
	// of a process goes on first, so that their runs may differ.
	ThreadsRace bool
}

// Topology is the name of a setting of stores whose servers can be deployed in several ways. Its values
// have names.
const Topology = "topology"

// PoolSize is the name of a setting of stores whose clients take connections from a pool: how
// many a client process may have at once, 0 for any number.
const PoolSize = "connections"

// Timing is how long the clients of a store wait.
type Timing struct {
	// Timeout is the default time-out of the client library as compiled in.
	Timeout time.Duration
	// Usual replaces the time-out of a connection on which the client has set none. Long is
	// the longest that clients of any version wait. Neither depends on the compiled-in
	// version, so that tapes replay with other versions.
	Usual, Long time.Duration
	// Shortest is the shortest lease that the store grants, 0 if any is possible. Scenarios
	// with shorter ones are run with this one.
	Shortest time.Duration
	// Recovery is how long a client may still be busy after a fault is over: its time-outs,
	// with its retries.
	Recovery time.Duration
}
