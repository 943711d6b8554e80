package stress

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// acts are what faults can do in a run.
type acts struct{ r *run }

func (a acts) At() time.Duration { return time.Since(a.r.Began) }

func (a acts) Lease() time.Duration { return a.r.lease() }

func (a acts) Clients() (names []string) {
	for _, p := range a.r.procs {
		names = append(names, p.name)
	}
	return names
}

// of returns the process with a name.
func (a acts) of(client string) *process {
	i := slices.IndexFunc(a.r.procs, func(p *process) bool { return p.name == client })
	return a.r.procs[i]
}

func (a acts) Stop(client string, d time.Duration) {
	c, r := a.of(client), a.r
	if c.dead || c.stopped {
		return
	}
	r.struck++
	seen := len(r.History.Observations)
	r.Observe(model.Observation{Node: client, Kind: model.Paused})
	r.fail(c.hang(true))
	r.timed = append(r.timed, &timed{at: time.Now().Add(d), seen: seen, end: func() error {
		if c.dead {
			return nil
		}
		r.Observe(model.Observation{Node: client, Kind: model.Resumed})
		return c.hang(false)
	}})
}

func (a acts) Kill(client string) {
	c, r := a.of(client), a.r
	if c.dead {
		return
	}
	r.struck++
	r.Observe(model.Observation{Node: client, Kind: model.Crashed})
	c.kill()
}

func (a acts) Down(client string, d time.Duration) {
	r := a.r
	r.struck++
	if d > 0 {
		r.seats.setDown(client, true)
		r.timed = append(r.timed, &timed{at: time.Now().Add(d), seen: -1, end: func() error {
			r.seats.setDown(client, false)
			r.History.Healed = max(r.History.Healed, time.Since(r.Began))
			return nil
		}})
	}
	for _, k := range slices.Clone(r.links) {
		if k.client() == client && !k.over {
			r.lostAnswers(k)
			r.breakOff(k)
		}
	}
}

// lostAnswers records the answers that are lost with a connection.
func (r *run) lostAnswers(k *link) {
	lost := func(q *request) {
		if q != nil && q.Signature != "" {
			r.Observe(model.Observation{Node: k.client(), Kind: model.ReplyLost, By: q.by})
		}
	}
	for _, a := range k.inbox {
		r.lasted(a.seen)
		lost(a.to)
	}
	for _, q := range k.asked { // unordered: at most one in most protocols
		lost(q)
	}
}

func (a acts) CanFailOver() bool {
	return len(a.r.fallen) == 0 && !a.r.stays
}

func (a acts) Replicate() {
	r := a.r
	if !a.CanFailOver() || len(r.nodes[0]) < 2 {
		return
	}
	serving := r.nodes[0][0]
	r.fail(r.servers.Replicate(serving))
	for _, n := range r.nodes[0][1:] {
		r.Follow(n, serving)
	}
}

func (a acts) FailOver() {
	r := a.r
	if !a.CanFailOver() {
		return
	}
	if len(r.nodes[0]) < 2 {
		r.restart(r.nodes[0][0])
		return
	}
	r.struck++
	old, next := r.nodes[0][0], r.nodes[0][1]
	r.seats.set(0, "")
	r.Observe(model.Observation{Node: old, Kind: model.Crashed, Authority: old})
	r.fail(r.servers.Kill(old))
	r.fail(r.servers.Promote(next))
	r.Observe(model.Observation{Node: next, Kind: model.Promoted, Authority: next})
	r.fallen = append(r.fallen, old)
	r.nodes[0] = append(slices.Clone(r.nodes[0][1:]), old)
	r.seats.set(0, next)
	r.fail(r.look(next, model.Origin{}, nil))
}

// restart kills a node that has no follower, and starts it again with what it has kept. A server that cannot be restarted stays.
func (r *run) restart(node string) {
	r.seats.set(0, "")
	defer r.seats.set(0, node)
	if err := r.servers.Kill(node); err != nil {
		r.stays = true
		return
	}
	r.struck++
	r.Observe(model.Observation{Node: node, Kind: model.Crashed, Authority: r.place(node)})
	if err := r.servers.Restart(node); err != nil {
		r.fail(err)
		return
	}
	r.Observe(model.Observation{Node: node, Kind: model.Returned, Authority: r.place(node)})
	r.fail(r.look(node, model.Origin{}, nil))
}
