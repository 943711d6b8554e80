package traces

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Schema is the version of the trace format that this package writes.
const Schema = 1

// Trace is one recorded run: what was asked, the tape that decided it, and
// what happened.
type Trace struct {
	Schema int      `json:"schema"`
	Made   Versions `json:"made"`

	Scenario   string      `json:"scenario"`
	Parameters []Parameter `json:"parameters"`
	Lock       string      `json:"lock"`
	// Seed and Schedule name the random tape that first found it: the
	// Schedule-th of the search with that seed. A negative Schedule is that of
	// no search: such a trace can be told, and not read back.
	Seed     uint64 `json:"seed"`
	Schedule int    `json:"schedule"`
	// Property is the violated property that the trace was kept for, empty
	// if none was. Limit is set if the scenario counts that violation as a
	// limit of leases rather than a fault of the lock.
	Property string `json:"property,omitempty"`
	Limit    bool   `json:"limit,omitempty"`

	// Actors are the lanes of the picture, in order.
	Actors []Actor `json:"actors"`

	Tape     []sim.Choice    `json:"tape"`
	Events   []sim.Event     `json:"events"`
	History  model.History   `json:"history"`
	Verdicts []model.Verdict `json:"verdicts"`
	// Hash is the rolling hash over events, history and verdicts, in hex.
	Hash string `json:"hash"`
}

// Versions are what byte identity of a replay depends on.
type Versions struct {
	Lockpick string `json:"lockpick"`
	Go       string `json:"go"`
	GoRedis  string `json:"goRedis"`
}

// Parameter is one parameter of the scenario, as it would be given on the
// command line.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ActorKind is what an actor is.
type ActorKind string

// The kinds of actors.
const (
	ClientActor   ActorKind = "client"
	RedisActor    ActorKind = "redis"
	ResourceActor ActorKind = "resource"
)

// Actor is one lane of a trace.
type Actor struct {
	Name string    `json:"name"`
	Kind ActorKind `json:"kind"`
}

// Verdict returns the verdict on the property that the trace was kept for,
// or nil.
func (t *Trace) Verdict() *model.Verdict {
	for i := range t.Verdicts {
		if t.Verdicts[i].Property == t.Property && t.Property != "" {
			return &t.Verdicts[i]
		}
	}
	return nil
}
