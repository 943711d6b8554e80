package redis

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim/simredis"
)

// MinReplicas is the name of the setting min-replicas-to-write.
const MinReplicas = "min-replicas"

// The settings of servers whose primary may be replaced.
var (
	minReplicas = stage.Setting{
		Name: MinReplicas, Max: 8, Rare: true, Fixed: true,
		About: "replicas that a primary must have heard of within half a lease to take writes (min-replicas-to-write; 0: none)",
		Needs: func(p stage.Params) string {
			switch n := p.Own.Of(MinReplicas); {
			case topology.Of(p) == Cluster:
				return "needs topology=replicas or sentinel: in a Redis Cluster it is not simulated"
			case n > p.Followers:
				return fmt.Sprintf("needs as many {follower}s: set {follower}s=%d", n)
			}
			return ""
		},
		Implies: func(p *stage.Params) { p.Followers = max(p.Followers, p.Own.Of(MinReplicas)) },
	}
	preferred = stage.Setting{
		Name: "preferred", Max: 8, Rare: true, Fixed: true,
		About: "the replica that sentinels promote rather than others, whatever it has: its replica-priority is 50, that of others 100 (0: none)",
		Needs: func(p stage.Params) string {
			if n := p.Own.Of("preferred"); n > p.Followers {
				return fmt.Sprintf("needs as many {follower}s: set {follower}s=%d", n)
			}
			return needsSentinels(p)
		},
	}
	downAfter = stage.Setting{
		Name: "down-after", Max: 64, Rare: true, Fixed: true,
		About: "quarters of a lease after which a silent server is down for a sentinel (down-after-milliseconds; 0: one)",
		Needs: needsSentinels,
	}
)

// redisVersion selects the kind and version of the server.
var redisVersion = stage.Setting{
	Name: "redis-version", Max: int(simredis.Valkey9), Names: []string{"any", "7.0", "7.2", "8.4", "valkey-9"}, Rare: true, Fixed: true,
	About: "the version of Redis, or Valkey, whose commands the nodes have (any: those of all of them)",
}

func needsSentinels(p stage.Params) string {
	if topology.Of(p) != Sentinel {
		return "needs topology=sentinel"
	}
	return ""
}

// guarded sets the options for when a primary refuses writes, and which replica takes its place,
// from the parameters.
func guarded(o simredis.Options, p stage.Params) simredis.Options {
	o.Period = p.TTL / 2
	o.Version = simredis.Version(redisVersion.Of(p))
	o.MinReplicas, o.MaxLag, o.Preferred = minReplicas.Of(p), o.Period, preferred.Of(p)
	return o
}

// Settles returns how long it takes until sentinels have made an old primary a replica: ten to eleven of their seconds,
// each half a lease, after they have reached it. Until then the new primary may have no replica.
func (store) Settles(p stage.Params) time.Duration {
	if topology.Of(p) != Sentinel {
		return 0
	}
	return 6 * p.TTL
}

// Guard makes a primary refuse writes when it does not hear of a replica, and makes sentinels replace it only
// when it has done so for a lease. A silent replica counts for up to a lease and a half.
func (store) Guard(p stage.Params) (settings []stage.OwnSetting, text string) {
	if topology.Of(p) != Sentinel {
		return nil, ""
	}
	const quarters = 12
	return []stage.OwnSetting{{Name: minReplicas.Name, Value: 1}, {Name: downAfter.Name, Value: quarters}},
		fmt.Sprintf("min-replicas-to-write 1, and sentinels that wait for longer than its lag and a lease (min-replicas=1 down-after=%d)", quarters)
}
