package expect

import (
	"slices"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
)

// Deployed returns the expectation in a scenario whose servers are deployed in another topology than the usual one:
// the servers replace the serving node by themselves, later, and in every scenario in which it falls silent. It is
// the entry of that topology, if there is one. Otherwise violations that the scenario must show become violations
// that it may show. If a fault can make the servers replace the serving node, or records can move to another server,
// the violations allowed in a failover, a partition and a restart are allowed too, since a node that crashes returns
// and two nodes may grant the lock. If some schedules of the lock are undecided in one scenario, they may be
// undecided in each.
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

// replaces reports whether a fault of the scenario can make a serving node silent.
func replaces(scenario string) bool {
	s, err := scenarios.Find(scenario)
	if err != nil {
		return true // not one of Lockpick's scenarios
	}
	b := s.Params.Faults
	return b.Of(faults.Failovers)+b.Of(faults.Partitions)+b.Of(faults.Hangs)+b.Of(faults.Restarts)+b.Of(faults.Migrations)+
		b.Of(faults.TwoMasters)+b.Of(faults.ManualFailovers)+b.Of(faults.LaggingPromotions) > 0
}
