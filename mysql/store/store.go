package store

import (
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql/simmysql"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// New returns MySQL as a store: a primary with replicas to which it replicates asynchronously, or
// semi-synchronously with the parameter semi-sync. All nodes execute the statements, such as CREATE
// TABLE and INSERT, before each run begins. A statement that fails ends every run with its error.
// Driver is any function of the compiled-in go-sql-driver/mysql; the store finds the version by it.
func New(driver any, statements ...string) stage.Store {
	return &store{driver, slices.Clone(statements)}
}

type store struct {
	driver any
	schema []string
}

// Schema returns the statements, for setting up a real server in the same way.
func (s *store) Schema() []string { return slices.Clone(s.schema) }

// ID returns "mysql".
func (*store) ID() string { return "mysql" }

// Terms returns MySQL's terms.
func (*store) Terms() stage.Terms {
	return stage.Terms{
		Terms: model.Terms{Store: "MySQL", Node: "server", Serving: "primary", Follower: "replica", Record: "record", Session: "connection", Endless: true},
		Way:   "mysql.Connect(c)",
		Kept:  []string{"with all that was committed"},
	}
}

// semiSync is the setting that makes commits wait for a replica: with 1 for at most rpl_semi_sync_master_timeout, whose
// default is 10 s, and with 2 for as long as it takes.
var semiSync = stage.Setting{
	Name: "semi-sync", Max: 2, Rare: true, Fixed: true,
	About: "1: a commit waits until a replica has it, for 10 s at most (semi-synchronous replication); 2: for as long as it takes",
}

// semiSyncTimeout returns how long a commit waits, 0 for the default.
func semiSyncTimeout(p stage.Params) time.Duration {
	if semiSync.Of(p) == 2 {
		return 24 * 365 * time.Hour // longer than any run
	}
	return 0
}

// Shape returns the settings of MySQL: the number of replicas, whether commits wait for
// them, and the number of clients' connections.
func (*store) Shape() []stage.Setting {
	return []stage.Setting{
		{Name: "replicas", Max: 8, About: "replicas of the server", Field: func(p *stage.Params) *int { return &p.Followers }},
		{Name: stage.PoolSize, Max: 16, About: "connections that the pool of a client may have (0: any number)", Rare: true},
		semiSync,
	}
}

// Faults returns none: MySQL has only the faults of all stores.
func (*store) Faults() []*stage.Fault { return nil }

// Traits returns MySQL's traits: a primary that is cut off goes on serving its clients, a
// statement is executed whenever it arrives, and locks live with connections.
func (*store) Traits(stage.Params) stage.Traits {
	return stage.Traits{Splits: true, Abandons: true, Sessions: true, KeepsAlive: true}
}

// Timing returns the times of the driver, which sets no time-outs. Those of locks are
// shorter than a lease.
func (*store) Timing() stage.Timing {
	return stage.Timing{Timeout: time.Second, Usual: time.Second, Long: 2 * time.Second, Recovery: 20 * time.Second}
}

// Versions returns the version of go-sql-driver/mysql.
func (s *store) Versions() map[string]string {
	return map[string]string{"go-sql-driver/mysql": stage.ModuleVersion("github.com/go-sql-driver/mysql", s.driver)}
}

// Lanes returns the names of the nodes, the primary first.
func (*store) Lanes(p stage.Params) [][]string {
	var names []string
	for i := range 1 + p.Followers {
		names = append(names, "mysql"+strconv.Itoa(i+1))
	}
	return [][]string{names}
}

// Build makes the server with its replicas.
func (s *store) Build(w *sim.World, p stage.Params, observe func(model.Observation)) stage.Cluster {
	c := simmysql.New(w, simmysql.Options{Replicas: p.Followers, SemiSync: semiSync.Of(p) != 0, SemiSyncTimeout: semiSyncTimeout(p)}, observe)
	must(c.Load(s.schema...))
	return stage.Cluster{{Authority: newServer(c)}}
}
