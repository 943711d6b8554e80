package file

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simfile"
)

// Store is a file server: one server without a follower.
var Store stage.Store = store{}

type store struct{}

// ID returns "file".
func (store) ID() string { return "file" }

// Terms returns the terms of files. The server ends no files.
func (store) Terms() stage.Terms {
	return stage.Terms{
		Terms: model.Terms{Store: "the file server", Node: "file server", Serving: "file server", Follower: "file server", Record: "file", Session: "lease", Endless: true},
		Way:   "file.Connect(c)",
		Kept:  []string{"with all of its files, and a grace period for its locks"},
	}
}

// Shape returns no settings.
func (store) Shape() []stage.Setting { return nil }

// Faults returns none: the file server has only the faults of all stores.
func (store) Faults() []*stage.Fault { return nil }

// Traits returns the file server's traits: locks live with a lease, which the client keeps alive. A
// request that its client has given up is refused once the client uses another connection.
func (store) Traits(stage.Params) stage.Traits { return stage.Traits{Sessions: true, KeepsAlive: true} }

// Timing returns the times of [Client].
func (store) Timing() stage.Timing {
	return stage.Timing{Timeout: patience, Usual: patience, Long: 2 * patience, Recovery: 20 * time.Second}
}

// Versions returns none: the client is part of Lockpick.
func (store) Versions() map[string]string { return nil }

// Lanes returns the server.
func (store) Lanes(stage.Params) [][]string { return [][]string{{"file1"}} }

// Build makes the server. A client's lease is as long as the scenario's.
func (store) Build(w *sim.World, p stage.Params, observe func(model.Observation)) stage.Cluster {
	s := simfile.New(w, simfile.Options{Lease: p.LeaseAsked()}, observe)
	return stage.Cluster{{Authority: authority{s}}}
}

func init() { stage.Link("file.Store", "github.com/lockpick-dev/lockpick/stores/file") }

// The capabilities of the server.
var (
	_ stage.Authority  = authority{}
	_ stage.Restarting = authority{}
	_ stage.Hanger     = node{}
	_ stage.Jumper     = node{}
	_ stage.Metered    = node{}
)

// authority is the server as the only node of its authority.
type authority struct{ server *simfile.Server }

func (a authority) Nodes() []stage.Node { return []stage.Node{node{a.server}} }

func (a authority) Serving() stage.Node { return node{a.server} }

func (a authority) Addresses() []string { return []string{a.server.Address()} }

func (a authority) Restart(stage.Node, int) { a.server.Restart() }

// node is the server as a process.
type node struct{ *simfile.Server }

func (n node) Actor() *sim.Actor { return n.Host.Actor }

func (n node) Up() bool { return !n.Down() }

func (n node) Serves() bool { return true }
