package expect

import (
	"slices"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
)

// Deployed is the expectation in a scenario whose servers are deployed in another way than usual: who
// serves is replaced by the servers themselves, later, and not only where the scenario says so. What must
// be found otherwise may be found here, and where a fault can make the servers replace the one that serves,
// so may what a failover, a partition and a restart show: a node that crashes comes back. So may they where
// records move from one server to another, since two of them may grant the lock then. A lock of which some
// schedules cannot be decided may have such in any scenario. What is said of the topology itself goes before all
// that.
func (e *Expectations) Deployed(scenario, topology string) Expectation {
	for i := range e.In {
		if e.In[i].Scenario == scenario && e.In[i].Topology == topology {
			return e.In[i]
		}
	}
	in := e.Under(scenario)
	in.May, in.Must = All(in.Must, in.May), nil
	if in.Undecided = false; slices.ContainsFunc(e.In, func(other Expectation) bool { return other.Undecided || other.MayBeUndecided }) {
		in.MayBeUndecided = true
	}
	if !replaces(scenario) {
		return in
	}
	for _, other := range []string{"failover-loss", "partition", "node-restart"} {
		o := e.Under(other)
		for _, v := range All(o.Must, o.May) {
			if !slices.Contains(in.May, v) {
				in.May = append(in.May, v)
			}
		}
	}
	return in
}

// replaces reports whether a fault of the scenario makes a serving node silent.
func replaces(scenario string) bool {
	s, err := scenarios.Find(scenario)
	if err != nil {
		return true // a scenario of one's own
	}
	b := s.Params.Faults
	return b.Of(faults.Failovers)+b.Of(faults.Partitions)+b.Of(faults.Hangs)+b.Of(faults.Restarts)+b.Of(faults.Migrations)+
		b.Of(faults.TwoMasters)+b.Of(faults.ManualFailovers)+b.Of(faults.LaggingPromotions) > 0
}
