package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
)

// Scenario is a named situation to put a lock into: a topology and a workload
// (through its parameters), a budget of faults, the properties that are judged
// and what must have happened for the search to mean anything. It scripts no
// interleaving: the search finds the story.
type Scenario struct {
	// ID is the scenario's name, which stays.
	ID string
	// Summary says in one line what it is about.
	Summary string
	// Params are the defaults.
	Params Params
	// Happenings must each come about at least once in a search. If one does
	// not, the search was vacuous.
	Happenings []Happening
	// Remedies are what might help against what the scenario does: they are
	// tried on its counterexamples.
	Remedies []Remedy
}

// Remedy is something that might help against a counterexample: another lock,
// or another setting.
type Remedy struct {
	// Text says what it is.
	Text string
	// Lock is the lock to use instead, empty for the same.
	Lock string
	// Lease is how many times longer the lease shall be, 0 for as long.
	Lease int
}

// The remedies that scenarios name.
var (
	fencedLock   = Remedy{Text: "a fenced lock (setpx-fenced)", Lock: "setpx-fenced"}
	waitingLock  = Remedy{Text: "WAIT for one replica (setpx-wait)", Lock: "setpx-wait"}
	atomicLock   = Remedy{Text: "a release in one step (setpx)", Lock: "setpx"}
	expiringLock = Remedy{Text: "a lock that the store lets expire (setpx)", Lock: "setpx"}
	pollingLock  = Remedy{Text: "a lock that is asked for again and again (setpx)", Lock: "setpx"}
	longerLeases = Remedy{Text: "a lease four times as long", Lease: 4}
)

// Happening is something that may come about in a run, said in terms that
// hold for any lock.
type Happening struct {
	Name string
	In   func(h *model.History) bool
}

// Properties are the ids of the properties that are judged: all but the weak
// ones.
func (s *Scenario) Properties() []string { return slices.DeleteFunc(checker.IDs(), checker.Weak) }

// All are the scenarios, in the order in which they are listed.
func All() []*Scenario {
	return []*Scenario{
		contention, failoverLoss, gcPause, twoStepRelease, holderCrash, clockSkew, serverClockJump,
		lostReply, lateReply, lateRequest, hungNode, partition, nodeRestart, cancelled,
		watchdogLate, lostWakeup, storm,
	}
}

// Find returns the scenario with the given id.
func Find(id string) (*Scenario, error) {
	var ids []string
	for _, s := range All() {
		if s.ID == id {
			return s, nil
		}
		ids = append(ids, s.ID)
	}
	return nil, fmt.Errorf("there is no scenario %q; there are %s", id, strings.Join(ids, ", "))
}
