package stage

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Store is a kind of store. It builds its servers into a world, says what can be
// set of them and what things are called there. It knows no lock and no scenario.
// A Store is a value without state: runs of several worlds may use it at once.
type Store interface {
	// ID names it in traces and on command lines, such as "zookeeper".
	ID() string
	// Terms are what things are called in it.
	Terms() Terms
	// Shape is what can be set of its servers: how many there are of what.
	Shape() []Setting
	// Faults are its own, beside those of every store.
	Faults() []*Fault
	// Timing is how long its clients wait.
	Timing() Timing
	// Lanes are the names of the nodes of each independent server, in the order in
	// which Build makes them.
	Lanes(Params) [][]string
	// Build builds the servers into a world. What happens to their records goes to
	// observe.
	Build(w *sim.World, p Params, observe func(model.Observation)) Cluster
	// Versions are those of the client libraries that are compiled in, by name.
	Versions() map[string]string
}

// Timing is how long the clients of a store wait.
type Timing struct {
	// Timeout is how long a client of the version at hand waits for an answer unless
	// it is told how long.
	Timeout time.Duration
	// Usual is what counts as that where a client has set none on its connection;
	// Long is how long clients of any version wait at most. Neither depends on the
	// version at hand: tapes recorded with one replay with others.
	Usual, Long time.Duration
	// Recovery is how long a client may be busy with what went wrong when that is
	// over: its time-outs, with its retries.
	Recovery time.Duration
}
