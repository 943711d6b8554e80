package lab

import (
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Plan is one run of an experiment: servers with their times for requests, a network, and client processes with threads. A
// run depends on its plan and its tape alone.
type Plan struct {
	// Store has the servers. Params has their number, the maximum number of connections of a process, and in TTL the lease
	// that locks should request.
	Store  stage.Store
	Params stage.Params
	// Processes is the number of client processes, Threads the number of threads of
	// each.
	Processes, Threads int
	// Pause is the minimum pause between two tries of a polling lock; the maximum is twice that. 0 means the lock's own
	// default.
	Pause time.Duration
	// Latency is the distribution of the time that a segment travels, one way.
	Latency Latency
	// Costs are the times that a server takes for requests.
	Costs Costs
	// Limit is the time after which a run is cut.
	Limit time.Duration
	// Until, if set, is when the run ends: its threads work until then. It replaces Limit.
	Until time.Duration
	// From is when counting begins: requests served, segments received and tries ended before then do not count. So a run can
	// warm up until all clients are connected.
	From time.Duration
	// Moment, if set, is the length of the moments in which arrivals at the servers are counted: see [Sample].Moments.
	Moment time.Duration
	// Client sets a client process up, and returns the work of its threads.
	Client func(c *cell.Client) (work func(t *Thread))
}

// Costs are the times that a server takes for requests, by their names. Other requests take as long as the one with the
// empty name.
type Costs map[string]time.Duration

func (c Costs) of(request string) time.Duration {
	if d, known := c[request]; known {
		return d
	}
	return c[""]
}

// maxEvents is the number of events after which a run is cut.
const maxEvents = 200_000_000
