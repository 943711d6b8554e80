package confirm

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/model"
)

// topology refuses traces whose servers elect the serving one, and whose clients ask for it: real servers are reached at
// fixed addresses. If no server has a fault, that does not cause the violation.
func (r *reading) topology(d *realclient.Deployed) error {
	if d == nil {
		return nil
	}
	without := ""
	if !r.strikesServers() {
		without = fmt.Sprintf("; nothing happens to a server before the violation: a search with %s=%s may find it as well, and that can be forced", d.Parameter, d.Fixed)
	}
	return cannot("with %s=%s clients ask which server serves, and the servers choose it: real ones are not deployed so yet%s", d.Parameter, d.Value, without)
}

// strikesServers reports whether a fault strikes a server, or the network between servers.
func (r *reading) strikesServers() bool {
	return slices.ContainsFunc(r.trace.History.Observations, func(o model.Observation) bool {
		switch o.Kind {
		case model.Parted:
			return o.Seq <= r.until
		case model.Paused, model.Crashed, model.Returned, model.Promoted, model.Closed, model.Assigned, model.Scattered, model.ClockJumped:
			return o.Seq <= r.until && !slices.Contains(r.clients, o.Node)
		}
		return false
	})
}
