package store

import (
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/simpgbouncer"
	"github.com/lockpick-dev/lockpick/postgres/simpostgres"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// Drivers are functions of the compiled-in client libraries, by the paths of their modules. The store finds
// their versions by them.
type Drivers map[string]any

// New returns PostgreSQL as a store: a primary with replicas to which it streams its log. All nodes execute
// the statements, such as CREATE TABLE and INSERT, before each run begins. A statement that fails ends every
// run with its error.
func New(drivers Drivers, statements ...string) stage.Store {
	return &store{drivers, slices.Clone(statements)}
}

type store struct {
	drivers Drivers
	schema  []string
}

// Schema returns the statements, for setting up a real server in the same way.
func (s *store) Schema() []string { return slices.Clone(s.schema) }

// ID returns "postgres".
func (*store) ID() string { return "postgres" }

// Terms returns PostgreSQL's terms.
func (*store) Terms() stage.Terms {
	return stage.Terms{
		Terms: model.Terms{Store: "PostgreSQL", Node: "server", Serving: "primary", Follower: "replica", Record: "record", Session: "session", Endless: true},
		Way:   "postgres.Pool(c) or postgres.Connect(c)",
		Kept:  []string{"with all that was committed"},
	}
}

// Faults returns PostgreSQL's own fault, beside those of all stores.
func (*store) Faults() []*stage.Fault { return []*stage.Fault{Terminations} }

// Traits returns PostgreSQL's traits: a primary that is cut off goes on serving its clients, a statement is
// executed whenever it arrives, and locks live with sessions.
func (*store) Traits(stage.Params) stage.Traits {
	return stage.Traits{Splits: true, Abandons: true, Sessions: true, KeepsAlive: true}
}

// Timing returns the times of the client libraries, which set no time-outs. Those of locks are shorter than a
// lease. After a statement that was given up, pgx may keep its connection for 15 seconds.
func (*store) Timing() stage.Timing {
	return stage.Timing{Timeout: time.Second, Usual: time.Second, Long: 2 * time.Second, Recovery: 20 * time.Second}
}

// Versions returns the versions of the client libraries.
func (s *store) Versions() map[string]string {
	list := map[string]string{}
	for module, function := range s.drivers { // unordered: it fills a map
		list[module[len("github.com/"):]] = stage.ModuleVersion(module, function)
	}
	return list
}

// Lanes returns the names of the nodes, the primary first, and of the pooler.
func (*store) Lanes(p stage.Params) [][]string {
	var names []string
	for i := range 1 + p.Followers {
		names = append(names, "postgres"+strconv.Itoa(i+1))
	}
	if pooling.Of(p) == 0 {
		return [][]string{names}
	}
	return [][]string{names, {"pgbouncer"}}
}

// Build makes the server with its replicas, and the pooler.
func (s *store) Build(w *sim.World, p stage.Params, observe func(model.Observation)) stage.Cluster {
	c := simpostgres.New(w, options(p), observe)
	must(c.Load(s.schema...))
	cluster := stage.Cluster{{Authority: newServer(c)}}
	mode := pooling.Of(p)
	if mode == 0 {
		return cluster
	}
	b := simpgbouncer.New(w, simpgbouncer.Options{PoolMode: simpgbouncer.Mode(poolModes[mode]), DefaultPoolSize: poolerSize.Of(p)},
		func() simpgbouncer.Node { return c.Primary() }, observe)
	return append(cluster, &stage.Server{Authority: pooler{bouncer{b}}})
}
