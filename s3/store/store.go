package store

import (
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/s3/sims3"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// ID is the name of the store in traces and on command lines, and Bucket that of its only bucket.
const (
	ID     = "s3"
	Bucket = "bucket"
)

// Drivers are functions of the compiled-in client libraries, by the paths of their modules. The store finds
// their versions by them.
type Drivers map[string]any

// New returns S3 as a store.
func New(drivers Drivers) stage.Store { return &store{drivers} }

type store struct{ drivers Drivers }

// ID returns "s3".
func (*store) ID() string { return ID }

// Terms returns S3's terms. It ends no objects by itself.
func (*store) Terms() stage.Terms {
	return stage.Terms{
		Terms: model.Terms{Store: "S3", Node: "server", Serving: "server", Follower: "server", Record: "object", Session: "lease", Endless: true},
		Way:   "s3.Connect(c)",
		Kept:  []string{"with all of its objects"},
	}
}

// Shape returns no settings.
func (*store) Shape() []stage.Setting { return nil }

// Faults returns S3's own faults, beside those of all stores.
func (*store) Faults() []*stage.Fault { return []*stage.Fault{SlowDowns, InternalErrors, Conflicts} }

// Traits returns S3's traits: a request is executed whenever it arrives.
func (*store) Traits(stage.Params) stage.Traits { return stage.Traits{Abandons: true} }

// Timing returns the times of the client library, which sets no time-outs. Those of locks are shorter than a lease. It
// waits up to a second and up to two before it repeats a request.
func (*store) Timing() stage.Timing {
	return stage.Timing{Timeout: time.Second, Usual: time.Second, Long: 2 * time.Second, Recovery: 20 * time.Second}
}

// Versions returns the versions of the client libraries.
func (s *store) Versions() map[string]string {
	list := map[string]string{}
	for module, function := range s.drivers { // unordered: it fills a map
		list[strings.TrimPrefix(module, "github.com/")] = stage.ModuleVersion(module, function)
	}
	return list
}

// Lanes returns the server.
func (*store) Lanes(stage.Params) [][]string { return [][]string{{"s3"}} }

// Build makes the server.
func (*store) Build(w *sim.World, _ stage.Params, observe func(model.Observation)) stage.Cluster {
	return stage.Cluster{{Authority: authority{sims3.New(w, sims3.Options{Name: "s3", Bucket: Bucket}, observe)}}}
}

// The capabilities of the server.
var (
	_ stage.Authority  = authority{}
	_ stage.Restarting = authority{}
	_ stage.Hanger     = node{}
	_ stage.Jumper     = node{}
	_ stage.Metered    = node{}
	_ stage.Failing    = node{}
)

// authority is the server as the only node of its authority.
type authority struct{ server *sims3.Server }

func (a authority) Nodes() []stage.Node { return []stage.Node{node{a.server}} }

func (a authority) Serving() stage.Node { return node{a.server} }

func (a authority) Addresses() []string { return []string{a.server.Address()} }

func (a authority) Restart(stage.Node, int) { a.server.Restart() }

// node is the server as a process.
type node struct{ *sims3.Server }

func (n node) Actor() *sim.Actor { return n.Host.Actor }

func (n node) Up() bool { return !n.Down() }

func (n node) Serves() bool { return true }
