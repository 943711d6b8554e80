package store

import (
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/kube/simkube"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// Store is Kubernetes: one control plane with leases, of one, three or five API servers.
var Store stage.Store = plugIn{}

type plugIn struct{}

// ID returns "kube".
func (plugIn) ID() string { return "kube" }

// Terms returns Kubernetes' terms. A server serves whose member of etcd leads.
func (plugIn) Terms() stage.Terms {
	return stage.Terms{
		Terms: model.Terms{Store: "Kubernetes", Node: "API server", Serving: "leader", Follower: "follower", Record: "Lease", Session: "session", Measured: true},
		Way:   "kube.Connect(c)",
		Kept:  []string{"with all of its data"},
	}
}

// cacheLag is the setting of the watch caches.
var cacheLag = stage.Setting{
	Name: "cache-lag", Max: 60_000, Rare: true, Fixed: true,
	About: "milliseconds by which a server's watch cache is behind: reads with resourceVersion=0, and watches",
}

// Shape returns the settings of Kubernetes: the number of API servers, and how far their caches are behind.
func (plugIn) Shape() []stage.Setting {
	return []stage.Setting{
		{Name: "followers", Max: simkube.MostServers - 1, About: "API servers beside one; an odd number is raised", Field: func(p *stage.Params) *int { return &p.Followers }},
		cacheLag,
	}
}

// servers returns the number of API servers, which is odd, as that of etcd's members should be.
func servers(p stage.Params) int { return 1 + (p.Followers+1)/2*2 }

// Faults returns Kubernetes' own fault, beside those of all stores.
func (plugIn) Faults() []*stage.Fault { return []*stage.Fault{Rejections} }

// Traits returns Kubernetes' traits: a request is carried out whenever it arrives, though its client has given
// it up; a leader that is cut off commits nothing; each server answers watches, and reads from its cache.
func (plugIn) Traits(p stage.Params) stage.Traits {
	several := p.Followers > 0
	return stage.Traits{Abandons: true, LocalReads: several, Elects: several, Measured: true}
}

// Timing returns the times of client-go: requests of an elector end after 10 seconds, or after 5, with the
// Timeout that controllers set.
func (plugIn) Timing() stage.Timing {
	return stage.Timing{Timeout: 5 * time.Second, Usual: 5 * time.Second, Long: 10 * time.Second, Shortest: shortest, Recovery: 40 * time.Second}
}

// shortest is the lease of client-go's defaults.
const shortest = 15 * time.Second

// Versions returns none: the client is the standard library's.
func (plugIn) Versions() map[string]string { return map[string]string{} }

// Lanes returns the names of the API servers.
func (plugIn) Lanes(p stage.Params) [][]string {
	var names []string
	for i := range servers(p) {
		names = append(names, "apiserver"+strconv.Itoa(i+1))
	}
	return [][]string{names}
}

// Build makes the control plane.
func (plugIn) Build(w *sim.World, p stage.Params, observe func(model.Observation)) stage.Cluster {
	c := simkube.New(w, simkube.Options{
		Servers: servers(p), Vote: p.Outage(), CacheLag: time.Duration(cacheLag.Of(p)) * time.Millisecond,
	}, observe)
	return stage.Cluster{{Authority: newCluster(c)}}
}
