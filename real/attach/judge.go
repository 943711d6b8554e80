package attach

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// unreported has the properties that need what clients of another language do not report, each with the reason.
var unreported = map[string]string{
	checker.Fencing:       "Clients of simrun attach do not use a protected resource.",
	checker.NoLostUpdate:  "Clients of simrun attach do not use a protected resource.",
	checker.Overrun:       "Clients of simrun attach do not use a protected resource.",
	checker.PromptCancel:  "The protocol of simrun attach has no order that cancels an acquire.",
	checker.BoundedWakeup: "A client of simrun attach does not report whether it is notified, or polls and how often.",
	checker.VainWait:      "A client of simrun attach does not report for how long it would wait.",
	checker.VainRequest:   "Clients of simrun attach have one thread.",
	checker.BoundedSize:   "Clients of simrun attach do not report how much they keep.",
}

// Properties lists the IDs of the properties that are judged.
func Properties() (list []string) {
	for _, p := range checker.Properties() {
		if p.Usual() && unreported[p.ID] == "" {
			list = append(list, p.ID)
		}
	}
	return list
}

// leastOrphan is the shortest time for which a record that was left behind is worth reporting.
const leastOrphan = 250 * time.Millisecond

// drift is by how much the end of a lease may be off: a report travels through a pipe.
const drift = 20 * time.Millisecond

// options returns how runs are judged.
func (t *Target) options(r *Ran) checker.Options {
	o := checker.Options{
		Ownership:     t.view(r),
		ProgressBound: r.Bound, OrphanBound: max(t.Lease/4, leastOrphan), Servers: t.nodes(), Terms: t.Terms, Drift: drift,
	}
	if t.Servers > 1 {
		o.Nodes = t.Servers
	}
	return o
}

// Judge judges a run by all properties that a lock promises.
func (t *Target) Judge(r *Ran) (list []model.Verdict) {
	judged := checker.Check(&r.History, t.options(r), Properties()...)
	if v := expired(&r.History); v != nil {
		i := slices.IndexFunc(judged, func(o model.Verdict) bool { return o.Property == v.Property })
		if judged[i].Status != model.Violated {
			judged[i] = *v
		}
	}
	for _, p := range checker.Properties() {
		if !p.Usual() {
			continue
		}
		if i := slices.IndexFunc(judged, func(v model.Verdict) bool { return v.Property == p.ID }); i >= 0 {
			list = append(list, judged[i])
		} else {
			list = append(list, model.Verdict{Property: p.ID, Status: model.NotApplicable, Sentence: unreported[p.ID]})
		}
	}
	return list
}

// Shown is a violation: the same one if it is of the same property, in the same class, by the same cause.
type Shown struct {
	model.Violation
	Cause string
}

// String returns the property, its class and its cause.
func (s Shown) String() string {
	class := ""
	if s.Limit {
		class = ", a limit of leases"
	}
	return fmt.Sprintf("%s (%s%s)", s.Property, s.Cause, class)
}

// shown returns the violations among verdicts.
func shown(list []model.Verdict) (all []Shown) {
	for i := range list {
		if v := &list[i]; v.Status == model.Violated {
			all = append(all, Shown{v.Violation(), v.Cause})
		}
	}
	return all
}

// lockName returns a name for a lock from a client's description.
func lockName(lock string) string {
	name := strings.Map(func(r rune) rune {
		if sim.IsName("x"+string(r), sim.MaxName) {
			return r
		}
		return '-'
	}, cmp.Or(lock, "lock"))
	name = strings.Trim(name, "-._")
	if len(name) > 60 {
		name = name[:60]
	}
	return cmp.Or(name, "lock")
}

// Trace returns a run as a trace.
func (t *Target) Trace(f *Found, r *Ran, verdicts []model.Verdict) *traces.Trace {
	settle(&r.History)
	if view := t.view(r); view != nil {
		r.History.Keys = r.History.LockKeys(view)
	}
	tr := &traces.Trace{
		Schema: traces.Schema, Made: cell.Versions(), Scenario: f.Scenario, Lock: lockName(r.Lock), Store: t.StoreID, Terms: t.Terms,
		Parameters: []traces.Parameter{
			{Name: "clients", Value: fmt.Sprint(t.Clients)}, {Name: "servers", Value: fmt.Sprint(t.Servers)}, {Name: "followers", Value: fmt.Sprint(t.Followers)},
			{Name: "lease", Value: t.Lease.String()}, {Name: "workload", Value: f.Workload.ID},
		},
		Seed: f.Seed, Schedule: -1, Property: f.Property, Limit: f.Limit, Actors: t.lanes(),
		Events: r.Events, History: r.History, Verdicts: verdicts,
		Real: &traces.Real{
			Server: r.Server, Client: wording.Fit(wording.Printable(cmp.Or(r.Lock, t.Command[0])), 200), Platform: runtime.GOOS + "/" + runtime.GOARCH,
			When: time.Now().UTC().Format(time.RFC3339), Try: 1,
		},
		Attached: &traces.Attached{Command: t.Command, Faults: f.Plan.Strings(), Of: f.Of, Shown: f.Times},
	}
	for i := range verdicts {
		if p, known := checker.Find(verdicts[i].Property); known {
			tr.Properties = append(tr.Properties, traces.Property{ID: p.ID, Description: p.Description})
		}
	}
	return tr
}

// lanes returns the actors of a run.
func (t *Target) lanes() (list []traces.Actor) {
	for _, name := range t.names() {
		list = append(list, traces.Actor{Name: name, Kind: traces.ClientActor})
	}
	for i, nodes := range t.nodes() {
		for _, name := range nodes {
			a := traces.Actor{Name: name, Kind: traces.NodeActor}
			if t.Servers > 1 {
				a.Server = i + 1
			}
			list = append(list, a)
		}
	}
	return list
}

// settle ends the open operations of a run.
func settle(h *model.History) {
	for i := range h.Operations {
		if op := &h.Operations[i]; !op.Return.Happened() {
			op.Result = model.Unknown // the run ended before
		}
	}
}
