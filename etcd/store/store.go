package etcd

import (
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/etcd/store/simetcd"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// Store is etcd: one cluster of three or five members, which replicate by majority.
var Store stage.Store = plugIn{}

type plugIn struct{}

// ID returns "etcd".
func (plugIn) ID() string { return "etcd" }

// Terms returns etcd's terms.
func (plugIn) Terms() stage.Terms {
	return stage.Terms{
		Terms: model.Terms{Store: "etcd", Node: "member", Serving: "leader", Follower: "follower", Record: "key", Session: "lease"},
		Way:   "etcd.Connect(c)",
		Kept:  []string{"with all of its data"},
	}
}

// oldMembers is the setting that makes members behave like those of old versions.
var oldMembers = stage.Setting{
	Name: "old-members", Max: 1, Rare: true, Fixed: true,
	About: "1: members as before 3.4.31 and 3.5.13, whose leader renews and revokes leases after a hang before it hears of another leader",
}

// Shape returns the settings of etcd: the size of the cluster, and the age of its
// members.
func (plugIn) Shape() []stage.Setting {
	return []stage.Setting{
		{Name: "followers", Min: 2, Max: simetcd.MostMembers - 1, About: "followers of the leader", Field: func(p *stage.Params) *int { return &p.Followers }},
		oldMembers,
	}
}

// Faults returns none: etcd has only the faults of all stores.
func (plugIn) Faults() []*stage.Fault { return nil }

// Traits returns etcd's traits: a leader that is cut off commits nothing; a client that has
// given up a request goes on with the same connection; each member answers watches, and
// serializable reads.
func (plugIn) Traits(stage.Params) stage.Traits {
	return stage.Traits{Sessions: true, LocalReads: true, Elects: true, ThreadsRace: true}
}

// Timing returns the times of go.etcd.io/etcd/client/v3. It sets no time-outs: a call
// ends with its context, or with its connection.
func (plugIn) Timing() stage.Timing {
	return stage.Timing{Timeout: 2 * time.Second, Usual: 2 * time.Second, Long: 3 * time.Second, Shortest: time.Second, Recovery: 30 * time.Second}
}

// Versions returns the versions of etcd's client, under the path of its module, and of gRPC.
func (plugIn) Versions() map[string]string {
	versions := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if slices.Contains(clientModules, m.Path) {
				versions[m.Path] = version(m)
			}
		}
	}
	return versions
}

// clientModules are the modules that the client's behaviour depends on. The second had the
// client before version 3.5.
var clientModules = []string{"go.etcd.io/etcd/client/v3", "go.etcd.io/etcd", "google.golang.org/grpc"}

// version returns the version of a module in the build.
func version(m *debug.Module) string {
	if m.Replace != nil {
		return m.Replace.Version
	}
	return m.Version
}

// Lanes returns the names of the members.
func (plugIn) Lanes(p stage.Params) [][]string {
	var names []string
	for i := range 1 + p.Followers {
		names = append(names, "etcd"+strconv.Itoa(i+1))
	}
	return [][]string{names}
}

// Build makes the cluster. Its election time-out is a tenth of a lease.
func (plugIn) Build(w *sim.World, p stage.Params, observe func(model.Observation)) stage.Cluster {
	c := simetcd.New(w, simetcd.Options{
		Members: 1 + p.Followers, Transport: simetcd.HTTP2, Election: p.LeaseAsked() / 10, Vote: p.Outage(),
		StaleKeepAlive: oldMembers.Of(p) != 0,
	}, observe)
	return stage.Cluster{{Authority: newCluster(c)}}
}
