package arms

import (
	"math/rand/v2"
	"time"

	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/real/stress"
)

// Chaos is the stress behind a fault proxy, with processes that are stopped and servers that fail over.
func Chaos() trial.Arm {
	return &stressed{
		id: "B", name: "A + SIGSTOP and failover", active: 5 * time.Second, fails: true,
		about:  "A, and about every second a client process is stopped for up to two leases; one in ten rounds one is killed. Every 5 s the server fails: a Redis server is killed and its replica, which lags by up to 0.3 s, is promoted; etcd, MariaDB and PostgreSQL are killed and started again; ZooKeeper stays.",
		faults: func(r *rand.Rand) stress.Faults { return newChaos(r) },
	}
}

// chaos is a proxy, and what happens to processes and servers.
type chaos struct {
	*proxy
	stops     time.Duration // when the next process is stopped
	kills     time.Duration // when one is killed, 0 for never
	fails     time.Duration // when the server fails
	replicate time.Duration // when its follower catches up
}

func newChaos(r *rand.Rand) *chaos {
	c := &chaos{proxy: newProxy(r), stops: upTo(r, time.Second), fails: time.Second + upTo(r, 3*time.Second)}
	if r.IntN(10) == 0 {
		c.kills = upTo(r, 4*time.Second)
	}
	return c
}

// Act draws what happens next.
func (c *chaos) Act(a stress.Acts) {
	c.proxy.Act(a)
	clients, at := a.Clients(), a.At()
	if at >= c.stops {
		c.stops = at + upTo(c.random, 2*time.Second)
		a.Stop(clients[c.random.IntN(len(clients))], upTo(c.random, 2*a.Lease()))
	}
	if c.kills > 0 && at >= c.kills {
		c.kills = 0
		a.Kill(clients[c.random.IntN(len(clients))])
	}
	if !a.CanFailOver() {
		return
	}
	if at >= c.replicate {
		c.replicate = at + upTo(c.random, 300*time.Millisecond)
		a.Replicate()
	}
	if at >= c.fails {
		c.fails = at + 5*time.Second
		a.FailOver()
	}
}
