package simetcd

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// scan is how often a leader looks for leases that have ended.
const scan = 500 * time.Millisecond

// tracked is a lease as the leader sees it.
type tracked struct {
	ttl     int64     // in seconds
	ends    time.Time // by the leader's clock
	revoked bool      // or about to be
	renewed []func()  // what waits for the end of a lease that was renewed too late
}

// promote makes the leader's clock the one that decides when leases end. It extends every
// lease as if it had been kept alive now, and by the election time-out in addition.
func (l *leadership) promote() {
	l.primary = true
	for _, id := range slices.Sorted(maps.Keys(l.node.state.leases)) {
		l.leases[id] = &tracked{ttl: l.node.state.leases[id]}
		l.refresh(id, l.node.cluster.options.Election)
	}
	waiting := l.waiting
	l.waiting = nil
	for _, f := range waiting {
		f()
	}
}

// now returns the time that decides when leases end.
func (l *leadership) now() time.Time { return l.node.clock.At(l.node.world.Now()) }

// refresh lets a lease end a full time to live from now, and later by extra.
func (l *leadership) refresh(id int64, extra time.Duration) {
	t := l.leases[id]
	t.ends = l.now().Add(time.Duration(t.ttl)*time.Second + extra)
	l.node.prolonged(id, l.node.clock.When(t.ends))
	l.watchLeases()
}

// leaseChanged follows an operation that was applied.
func (l *leadership) leaseChanged(x operation) {
	if !l.primary {
		return
	}
	switch r := x.(type) {
	case *grantRequest:
		l.leases[r.id] = &tracked{ttl: l.node.state.leases[r.id]}
		l.refresh(r.id, 0)
	case *revokeRequest:
		t := l.leases[r.id]
		delete(l.leases, r.id)
		l.watchLeases()
		for _, f := range t.renewed {
			f()
		}
	}
}

// watchLeases schedules the next look that finds a lease that has ended.
func (l *leadership) watchLeases() {
	if l.expiry != nil {
		l.expiry()
		l.expiry = nil
	}
	var next time.Time
	for _, t := range l.leases { // unordered: the minimum
		if !t.revoked && (next.IsZero() || t.ends.Before(next)) {
			next = t.ends
		}
	}
	if next.IsZero() {
		return
	}
	n := l.node
	at := max(n.clock.When(next), n.world.Now()+1)
	at = (at + scan - 1).Truncate(scan)
	l.expiry = n.world.At(n.Actor, at, sim.EventWork, sim.EventOptions{}, func() {
		l.expiry = nil
		n.Do(l.revokeExpired)
	})
}

// revokeExpired revokes the leases that end now.
func (l *leadership) revokeExpired() {
	if l.node.leads != l {
		return
	}
	now := l.now()
	var over []int64
	for id, t := range l.leases { // unordered: sorted below
		if !t.revoked && !now.Before(t.ends) {
			over = append(over, id)
			t.revoked = true
		}
	}
	slices.SortFunc(over, func(a, b int64) int {
		return cmp.Or(l.leases[a].ends.Compare(l.leases[b].ends), cmp.Compare(a, b))
	})
	for _, id := range over {
		l.revoke(&entry{operation: &revokeRequest{id}, by: model.Origin{}, expires: true})
	}
	l.watchLeases()
}

// revoke revokes a lease. If the leader hung while another was elected, its request is
// dropped, or goes to the other as soon as it follows that: raft forwards it.
func (l *leadership) revoke(x *entry) {
	n := l.node
	if !n.catchingUp || n.Term == n.cluster.Term() {
		l.propose(x)
	} else if n.cluster.options.StaleKeepAlive {
		n.parked = append(n.parked, func() {
			n.sendToLeader(x.String(), func(l *leadership) { l.propose(x) })
		})
	}
}

// keepAlive renews a lease, and answers its time to live, 0 if there is none. A lease that has
// ended, and is not yet revoked, is not renewed: the answer waits until it is.
func (l *leadership) keepAlive(id int64, answer func(ttl int64)) {
	t := l.leases[id]
	switch {
	case t == nil:
		answer(0)
	case !l.now().Before(t.ends):
		t.renewed = append(t.renewed, func() { answer(0) })
	default:
		l.refresh(id, 0)
		answer(t.ttl)
	}
}

// timeToLive returns how long a lease has left, in whole seconds.
func (l *leadership) timeToLive(r *timeToLiveRequest) *timeToLiveResponse {
	t := l.leases[r.id]
	if t == nil {
		return &timeToLiveResponse{id: r.id, ttl: -1}
	}
	answer := &timeToLiveResponse{id: r.id, ttl: int64(t.ends.Sub(l.now()).Seconds()), granted: t.ttl}
	if r.keys {
		answer.keys = l.node.state.attached(r.id)
	}
	return answer
}

// leaseList are the numbers of all leases: by their ends at the leader, otherwise by
// themselves. (Followers of etcd have them in any order.)
func (n *Node) leaseList() []int64 {
	list := slices.Sorted(maps.Keys(n.state.leases))
	if n.leads != nil && n.leads.primary {
		slices.SortStableFunc(list, func(a, b int64) int {
			return n.leads.leases[a].ends.Compare(n.leads.leases[b].ends)
		})
	}
	return list
}
