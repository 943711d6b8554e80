package attach

import (
	"slices"
	"time"
)

// Workload is what the clients of a run do. Lengths are fractions of the lease.
type Workload struct {
	ID string
	// Rounds is how often each client acquires and releases.
	Rounds int
	// Wait is how long an acquire may wait, 0 for one attempt; the client asks again until it has the lock.
	Wait float64
	// Hold is how long the lock is held.
	Hold float64
	// Extends is set if a lock that can be extended is, three times in a lease.
	Extends bool
}

// The workloads.
var (
	// Turns: each client waits for the lock, has it for a moment, and releases it.
	Turns = Workload{ID: "turns", Rounds: 2, Wait: 2, Hold: 0.06}
	// Asks: each client tries without waiting, and again.
	Asks = Workload{ID: "tries", Rounds: 2, Hold: 0.06}
	// Long: each client has the lock for longer than a lease, and extends it. It is left out for a lock that has no lease, or
	// that neither is extended nor renews by itself.
	Long = Workload{ID: "long", Rounds: 1, Wait: 4, Hold: 1.4, Extends: true}
)

// Workloads lists them.
func Workloads() []Workload { return []Workload{Turns, Asks, Long} }

// workloadOf returns a workload by its ID.
func workloadOf(id string) (Workload, bool) {
	i := slices.IndexFunc(Workloads(), func(w Workload) bool { return w.ID == id })
	if i < 0 {
		return Workload{}, false
	}
	return Workloads()[i], true
}

// part returns a fraction of a lease.
func part(lease time.Duration, of float64) time.Duration {
	return time.Duration(float64(lease) * of).Round(time.Millisecond)
}

// Scenario is a kind of fault that is searched.
type Scenario struct {
	ID string
	// About is a sentence for lists.
	About string
	Do    []Action
}

// Scenarios lists the scenarios. Their IDs are those of the scenarios of simulated runs where both do the same.
func Scenarios() []Scenario {
	return []Scenario{
		{"contention", "no fault: clients want the lock at the same time", nil},
		{"lost-request", "a request is lost with its connection", []Action{LoseRequest}},
		{"lost-reply", "an answer is lost with its connection", []Action{LoseAnswer}},
		{"late-request", "a request is late", []Action{DelayQuery}},
		{"late-reply", "an answer is late", []Action{DelayAnswer}},
		{"gc-pause", "a client's process is stopped, and goes on", []Action{StopClient}},
		{"holder-crash", "a client's process is killed", []Action{KillClient}},
		{"failover-loss", "the server dies, and its follower lacks the last change", []Action{FailOver}},
		{"mixed", "two faults of different kinds", []Action{LoseRequest, LoseAnswer, DelayQuery, DelayAnswer, StopClient}},
	}
}

// ScenarioOf returns a scenario by its ID.
func ScenarioOf(id string) (Scenario, bool) {
	all := Scenarios()
	i := slices.IndexFunc(all, func(s Scenario) bool { return s.ID == id })
	if i < 0 {
		return Scenario{}, false
	}
	return all[i], true
}
