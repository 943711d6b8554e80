package teststore

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// Store is the cloakroom.
var Store stage.Store = store{}

type store struct{}

func (store) ID() string { return "cloakroom" }

func (store) Terms() stage.Terms {
	return stage.Terms{
		Terms: model.Terms{Store: "the cloakroom", Node: "desk", Serving: "desk", Follower: "desk", Record: "ticket"},
		Way:   "c.Dial",
		Kept:  []string{"with its tickets", "with no tickets"},
	}
}

func (store) Shape() []stage.Setting           { return nil }
func (store) Faults() []*stage.Fault           { return nil }
func (store) Traits(stage.Params) stage.Traits { return stage.Traits{Abandons: true} }
func (store) Versions() map[string]string      { return nil }

func (store) Timing() stage.Timing {
	return stage.Timing{Timeout: patience, Usual: patience, Long: patience, Recovery: 10 * time.Second}
}

func (store) Lanes(stage.Params) [][]string { return [][]string{{"desk"}} }

func (store) Build(w *sim.World, _ stage.Params, observe func(model.Observation)) stage.Cluster {
	return stage.Cluster{{Authority: cloakroom{newDesk(w, observe)}}}
}
