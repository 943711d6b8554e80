package zookeeper

import (
	"strconv"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/zookeeper/simzk"
)

// Store is ZooKeeper: one ensemble of three to seven servers, which replicate by majority.
var Store stage.Store = store{}

type store struct{}

// ID returns "zookeeper".
func (store) ID() string { return "zookeeper" }

// Terms returns ZooKeeper's terms.
func (store) Terms() stage.Terms {
	return stage.Terms{
		Terms: model.Terms{Store: "ZooKeeper", Node: "server", Serving: "leader", Follower: "follower", Record: "znode", Session: "session"},
		Way:   "zookeeper.Connect(c)",
		Kept:  []string{"with all of its data"},
	}
}

// Shape returns the setting of the ensemble's size.
func (store) Shape() []stage.Setting {
	return []stage.Setting{
		{Name: "followers", Min: 2, Max: simzk.MostMembers - 1, About: "followers of the leader", Field: func(p *stage.Params) *int { return &p.Followers }},
	}
}

// Faults returns none: ZooKeeper has only the faults of all stores.
func (store) Faults() []*stage.Fault { return nil }

// Traits returns ZooKeeper's traits: a leader that is cut off commits nothing, and a request
// is refused once its client has moved the session to another server.
func (store) Traits(stage.Params) stage.Traits {
	return stage.Traits{Sessions: true, KeepsAlive: true, LocalReads: true, Elects: true, ThreadsRace: true}
}

// Timing returns the times of go-zookeeper/zk. It waits for two thirds of the session's
// time-out, then tries the other servers, a second each.
func (store) Timing() stage.Timing {
	return stage.Timing{Timeout: 2 * time.Second, Usual: 2 * time.Second, Long: 3 * time.Second, Recovery: 30 * time.Second}
}

// Versions returns the version of go-zookeeper/zk.
func (store) Versions() map[string]string {
	return map[string]string{"go-zookeeper/zk": stage.ModuleVersion("github.com/go-zookeeper/zk", zk.Connect)}
}

// Lanes returns the names of the servers.
func (store) Lanes(p stage.Params) [][]string {
	var names []string
	for i := range 1 + p.Followers {
		names = append(names, "zk"+strconv.Itoa(i+1))
	}
	return [][]string{names}
}

// Build makes the ensemble. A session of the length of a lease is ten ticks.
func (store) Build(w *sim.World, p stage.Params, observe func(model.Observation)) stage.Cluster {
	e := simzk.New(w, simzk.Options{
		Members: 1 + p.Followers, Tick: p.LeaseAsked() / ticks, Election: 2 * p.Outage(),
	}, observe)
	return stage.Cluster{{Authority: newEnsemble(e)}}
}

// ticks is the number of ticks in a lease: sessions may last from a fifth of a lease to two
// leases.
const ticks = 10

func init() { stage.Link("zookeeper.Store", "github.com/lockpick-dev/lockpick/zookeeper") }
