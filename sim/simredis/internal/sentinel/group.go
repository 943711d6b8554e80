package sentinel

import (
	"cmp"
	"net"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// Timer is the kind of the decisions about how much later than due a sentinel acts. The options
// are quarters of the longest delay, beginning with none.
const Timer sim.Kind = "fault:sentinel-timer"

// Rules are the settings of sentinels.
type Rules struct {
	// Master is the name by which they know the primary.
	Master string
	// Quorum is how many sentinels must agree that the primary is down.
	Quorum int
	// Second is what the fixed times of Sentinel take for a second: the period of its pings is one,
	// that of its hello messages two, that of INFO ten.
	Second time.Duration
	// DownAfter is after how long a silent server is taken for down (down-after-milliseconds).
	DownAfter time.Duration
	// FailoverTimeout is how long each step of a failover may take (failover-timeout). A sentinel
	// waits for twice as long before it tries again.
	FailoverTimeout time.Duration
}

// The fixed times of Sentinel.
func (r *Rules) tick() time.Duration  { return r.Second / 10 }
func (r *Rules) ping() time.Duration  { return min(r.DownAfter, r.Second) }
func (r *Rules) hello() time.Duration { return 2 * r.Second }
func (r *Rules) info() time.Duration  { return 10 * r.Second }
func (r *Rules) tilt() time.Duration  { return 30 * r.Second }

// parallel is how many replicas may load the new primary's data at a time (parallel-syncs).
const parallel = 1

// Server is what sentinels see of a server that they watch, and order it to do.
type Server[S any] interface {
	comparable
	// IsPrimary reports whether it takes itself for a primary. Source is the server that it follows
	// otherwise, zero if none, and Copying says that it does not have the source's data yet.
	IsPrimary() bool
	Source() S
	Copying() bool
	// Priority, Offset and RunID decide which replica is promoted: the least priority but 0, then
	// the greatest offset, then the least id.
	Priority() int
	Offset() int64
	RunID() string
	// Unlinked returns how long its link to its source has been down, as it says itself; 0 if it is up.
	Unlinked() time.Duration
	// Elect makes it a primary, by the decision of an epoch. Follow makes it a replica. Both end the
	// connections of its clients.
	Elect(epoch int64)
	Follow(source S)
}

// Group are sentinels that watch the same servers, each an S.
type Group[S Server[S]] struct {
	rules     Rules
	world     *sim.World
	reach     *server.Reach
	publish   func(s *Sentinel[S], event, about string)
	servers   []*watched[S]
	sentinels []*Sentinel[S]
	contest   contest[S]
}

// watched is a server with its host.
type watched[S any] struct {
	*server.Host
	server S
}

// NewGroup makes a group without sentinels. Publish is called with each event that one publishes: its
// channel, and its text.
func NewGroup[S Server[S]](w *sim.World, rules Rules, publish func(s *Sentinel[S], event, about string)) *Group[S] {
	g := &Group[S]{rules: rules, world: w, publish: publish}
	g.reach = server.NewReach(w, g.Changed)
	return g
}

// Watch adds a server. The first is the primary that all sentinels know at the beginning. Servers are
// added before sentinels.
func (g *Group[S]) Watch(s S, host *server.Host) {
	g.servers = append(g.servers, &watched[S]{host, s})
}

// Sentinels returns the sentinels in the order in which they were added.
func (g *Group[S]) Sentinels() []*Sentinel[S] { return g.sentinels }

// Changed lets all sentinels look at the servers. It is called when a server or a sentinel has
// failed, come back, or changed its role.
func (g *Group[S]) Changed() {
	for _, s := range g.sentinels {
		s.look()
	}
	g.spread()
}

// majority returns how many sentinels are one.
func (g *Group[S]) majority() int { return len(g.sentinels)/2 + 1 }

// find returns the server with its host.
func (g *Group[S]) find(s S) *watched[S] {
	for _, w := range g.servers {
		if w.server == s {
			return w
		}
	}
	return nil
}

// better compares two replicas: negative if the first is the better one to promote.
func better[S Server[S]](a, b *watched[S]) int {
	return cmp.Or(
		cmp.Compare(a.server.Priority(), b.server.Priority()),
		cmp.Compare(b.server.Offset(), a.server.Offset()),
		cmp.Compare(a.server.RunID(), b.server.RunID()),
	)
}

// spaced returns an address as events have it: host and port, with a space between.
func spaced(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address // addresses are made by the store, which has both
	}
	return host + " " + port
}
