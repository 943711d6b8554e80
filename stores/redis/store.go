package redis

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Store is Redis: independent servers, each a primary with replicas to which it
// replicates asynchronously.
var Store stage.Store = store{}

type store struct{}

// ID returns "redis".
func (store) ID() string { return "redis" }

// Terms returns Redis's terms.
func (store) Terms() stage.Terms {
	return stage.Terms{
		Terms: model.Terms{Store: "Redis", Node: "Redis node", Serving: "primary", Follower: "replica", Record: "key"},
		Way:   "redis.Connect(c) or redis.Options(c)",
		Kept:  []string{"with all of its data", "without what it wrote in the last second", "empty"},
	}
}

// Shape returns the settings of Redis: the number of independent servers, of replicas of each, and of
// clients' connections, and how the primary is chosen.
func (store) Shape() []stage.Setting {
	return []stage.Setting{
		topology,
		{Name: "replicas", Max: 8, About: "replicas of each server", Field: func(p *stage.Params) *int { return &p.Followers }},
		{Name: "nodes", Max: 9, About: "independent servers, each with its replicas (0: one)", Field: func(p *stage.Params) *int { return &p.Servers }, Rare: true, Fixed: true, Needs: aloneNeeds},
		minReplicas, preferred, downAfter, redisVersion,
		{Name: stage.PoolSize, Max: 16, About: "connections that the pool of a client may have (0: ten)", Rare: true},
	}
}

// Faults returns none: Redis has only the faults that every store has.
func (store) Faults() []*stage.Fault { return nil }

// Timing returns the times of go-redis: older versions wait for 3 s, newer ones for 5.
func (store) Timing() stage.Timing {
	return stage.Timing{Timeout: timeout, Usual: 3 * time.Second, Long: 5 * time.Second, Recovery: 20 * time.Second}
}

// Traits returns Redis's traits: a primary that is cut off goes on serving its clients, and a
// request is executed whenever it arrives.
func (store) Traits(p stage.Params) stage.Traits {
	return stage.Traits{Splits: true, Abandons: true, Elects: topology.Of(p) != Replicas, Moves: topology.Of(p) == Cluster}
}

// Versions returns the version of go-redis.
func (store) Versions() map[string]string { return map[string]string{"go-redis": version()} }

func init() { stage.Link("redis.Store", "github.com/lockpick-dev/lockpick/stores/redis") }
