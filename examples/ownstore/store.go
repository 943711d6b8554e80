// Package ownstore lets Lockpick simulate a store that it does not know: servers of leases that elect a leader. Package
// leases is what runs in production.
package ownstore

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/examples/ownstore/leases"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// Store is a leader with followers.
var Store stage.Store = store{}

type store struct{}

func (store) ID() string { return "leases" }

func (store) Terms() stage.Terms {
	return stage.Terms{
		Terms: model.Terms{Store: "the lease store", Node: "server", Serving: "leader", Follower: "follower", Record: "lease"},
		Way:   "ownstore.Connect(c)",
		Kept:  []string{"with all of its log"},
	}
}

// Shape: a majority needs two followers.
func (store) Shape() []stage.Setting {
	return []stage.Setting{{Name: "followers", Min: 2, Max: 4, About: "followers of the leader", Field: func(p *stage.Params) *int { return &p.Followers }}}
}

func (store) Faults() []*stage.Fault      { return nil }
func (store) Versions() map[string]string { return nil }

// Traits: a request may arrive when its client has given it up.
func (store) Traits(stage.Params) stage.Traits { return stage.Traits{Abandons: true, Elects: true} }

func (store) Timing() stage.Timing {
	return stage.Timing{Timeout: leases.Patience, Usual: leases.Patience, Long: leases.Patience, Recovery: 20 * time.Second}
}

func (store) Lanes(p stage.Params) [][]string {
	var names []string
	for i := range 1 + p.Followers {
		names = append(names, fmt.Sprint("server", i+1))
	}
	return [][]string{names}
}

func (store) Build(w *sim.World, p stage.Params, observe func(model.Observation)) stage.Cluster {
	return stage.Cluster{{Authority: authority{newGroup(w, 1+p.Followers, p.LeaseAsked()/2, 2*p.Outage(), observe)}}}
}

// What the servers can do, which decides which faults and scenarios apply.
var (
	_ stage.Replicated = authority{}
	_ stage.Restarting = authority{}
	_ stage.Hanger     = server{}
)

// authority is the servers as the one authority over the leases.
type authority struct{ *group }

func (a authority) Nodes() (list []stage.Node) {
	for _, n := range a.group.Nodes() {
		list = append(list, server{n})
	}
	return list
}

func (a authority) Serving() stage.Node         { return server{a.Leader()} }
func (a authority) Promote(n stage.Node)        { a.group.Promote(n.(server).node) }
func (a authority) Rejoin(n stage.Node)         { n.(server).Restart() }
func (a authority) Restart(n stage.Node, _ int) { n.(server).Restart() }

// server is one of the servers.
type server struct{ *node }

func (s server) Actor() *sim.Actor { return s.node.Actor }
func (s server) Up() bool          { return !s.Down() }
func (s server) Serves() bool      { return s.Leads() }
