package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/internal/gate"
	"github.com/lockpick-dev/lockpick/real/internal/recording"
	"github.com/lockpick-dev/lockpick/sim"
)

// run is a run. One goroutine handles all of its inputs, so its counter orders everything.
type run struct {
	*Target
	work    Workload
	servers confirm.Servers
	seats   seats
	gates   []*gate.Gate
	actors  []*actor
	faults  []*fault

	passes chan gate.Passage
	heard  chan heard

	waiting   []*request           // to be let through
	executing *request             // whose effect is looked for
	sessions  map[string]time.Time // until when they live at least, if their store reports it
	links     []*link
	counts    map[Point]int
	profile   []Seen
	rounds    int
	probing   bool // the round after all others, which shows whether the lock can be had
	stuck     bool // a client has waited for the lock for too long
	bound     time.Duration
	lease     time.Duration // by which the run is timed
	ready     bool
	failed    error // of a fault at the beginning of a hold
	recording.Recorder
}

// Seen is a point that a run has passed. Changes is set if the request has changed a record.
type Seen struct {
	Point
	Changes bool
}

// Ran is the result of a run.
type Ran struct {
	// Lock is the client's description of its lock, and Server the version of the servers.
	Lock, Server string
	// Lease is the length of the lock's leases, 0 for none.
	Lease   time.Duration
	Events  []sim.Event
	History model.History
	// Profile are the points that the run has passed, and Struck the number of faults of the plan that have struck.
	Profile []Seen
	Struck  int
	// Bound is how long a client may wait for the lock.
	Bound time.Duration
	row   *row // the columns of a lock that is a row
}

// Run makes one run, with servers and processes of its own. A [*ClientError] is what a client has done wrong.
func (t *Target) Run(ctx context.Context, w Workload, p Plan) (*Ran, error) {
	var own idle
	defer own.stop()
	return t.run(ctx, &own, w, p)
}

// run makes a run with idle servers, if there are some.
func (t *Target) run(ctx context.Context, servers *idle, w Workload, p Plan) (ran *Ran, err error) {
	s, err := servers.take(t)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil || slices.ContainsFunc(p, func(f Fault) bool { return f.Do == FailOver }) {
			s.Stop()
			return
		}
		servers.give(s, t.nodes())
	}()
	r := &run{
		Target: t, work: w, servers: s, passes: make(chan gate.Passage, 64), heard: make(chan heard, 64),
		counts: map[Point]int{}, sessions: map[string]time.Time{}, rounds: w.Rounds, Recorder: recording.New(t.Lease),
	}
	for _, f := range p {
		r.faults = append(r.faults, &fault{Fault: f})
	}
	defer r.stop()
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	if err := r.drive(ctx); err != nil {
		return nil, err
	}
	return r.result(), nil
}

// result ends the history.
func (r *run) result() *Ran {
	r.settleFaults()
	r.History.End = r.Stamp()
	first := r.actors[0]
	struck := 0
	for _, f := range r.faults {
		if f.struck {
			struck++
		}
	}
	return &Ran{
		Lock: first.lock, Server: r.servers.Version(), Lease: first.lease, Events: r.Events, History: r.History,
		Profile: r.profile, Struck: struck, Bound: r.bound, row: first.row,
	}
}

// timeToStart is the maximum time until a client is ready.
const timeToStart = time.Minute

// prepare starts the gates and the clients, and waits until all are ready.
func (r *run) prepare(ctx context.Context) error {
	for _, nodes := range r.nodes() {
		r.seats.names = append(r.seats.names, nodes[0])
		if err := r.servers.Replicate(nodes[0]); err != nil {
			return err
		}
	}
	for _, name := range r.names() {
		if err := r.startClient(name); err != nil {
			return err
		}
	}
	r.actors[0].send(r.actors[0].first)
	end := time.Now().Add(timeToStart)
	for slices.ContainsFunc(r.actors, func(a *actor) bool { return !a.ready }) {
		if time.Now().After(end) {
			i := slices.IndexFunc(r.actors, func(a *actor) bool { return !a.ready })
			return r.actors[i].broken("does not report that it is ready within %s", timeToStart)
		}
		if err := r.listen(ctx, 20*time.Millisecond); err != nil {
			return err
		}
		if err := r.passAll(); err != nil {
			return err
		}
	}
	r.begin()
	if s, is := r.servers.(Preparing); is {
		if err := s.Prepared(); err != nil {
			return err
		}
	}
	return r.lookAll()
}

// longestLease is the longest lease by which a run is timed.
const longestLease = 3 * time.Second

// begin begins the history. A run is timed by the leases that the lock has.
func (r *run) begin() {
	lease := max(r.actors[0].lease, r.Lease)
	r.lease = max(min(lease, longestLease), r.Lease)
	r.bound = 2*r.lease + 2*time.Second
	r.Recorder = recording.New(lease)
	r.ready = true
}

// headStart is how long a client waits at most for the first request of the one before it, so that the first one gets the
// lock first.
const headStart = 300 * time.Millisecond

// begins reports whether a client may begin: the one before has sent a request.
func (r *run) begins(a *actor) bool {
	i := slices.Index(r.actors, a)
	return i == 0 || r.actors[i-1].asks || time.Since(r.Began) > time.Duration(i)*headStart
}

// startClient starts a client behind gates of its own, one for each independent server.
func (r *run) startClient(name string) error {
	o := order{Do: doPrepare, Protocol: Protocol, Client: name, Store: r.StoreID, Name: cell.LockName, Lease: r.Lease.Milliseconds()}
	if l, is := r.Store.(Login); is {
		var password string
		o.User, password, o.Database = l.Login()
		o.Password = &password
	}
	for server := range r.Servers {
		g, err := gate.New(name, r.Store.Converse, func() (node, address string, reaches bool) {
			if node = r.seats.of(server); node == "" {
				return "", "", false
			}
			return node, r.servers.Address(node), true
		}, r.passes)
		if err != nil {
			return err
		}
		r.gates = append(r.gates, g)
		o.Addresses = append(o.Addresses, g.Address())
	}
	c, out, err := r.start(name)
	if err != nil {
		return err
	}
	r.actors = append(r.actors, &actor{client: c, first: o, extends: true})
	go c.listen(out, r.heard)
	return nil
}

// drive runs the workload.
func (r *run) drive(ctx context.Context) error {
	for {
		for _, a := range r.actors {
			if err := r.act(a); err != nil {
				return err
			}
		}
		if err := r.passAll(); err != nil {
			return err
		}
		r.hangUp()
		if err := r.endFaults(); err != nil {
			return err
		}
		if r.failed != nil {
			return r.failed
		}
		if r.over() {
			return nil
		}
		if err := r.listen(ctx, r.idle()); err != nil {
			return err
		}
		if err := r.lookExpired(); err != nil {
			return err
		}
	}
}

// over reports whether the run is over. After the rounds of all clients there is one more if a fault has struck.
func (r *run) over() bool {
	if r.stuck {
		return true
	}
	if slices.ContainsFunc(r.actors, func(a *actor) bool { return !a.dead && !(a.phase == resting && a.round >= r.rounds) }) ||
		slices.ContainsFunc(r.faults, (*fault).acts) {
		return false
	}
	if r.probing || !slices.ContainsFunc(r.faults, func(f *fault) bool { return f.struck }) {
		return true
	}
	r.probing = true
	r.rounds++
	return false
}

// idle returns how long to wait for an input.
func (r *run) idle() time.Duration {
	now := time.Now()
	wait := 20 * time.Millisecond
	for _, a := range r.actors {
		if !a.dead && !a.stopped && a.op == 0 {
			wait = min(wait, a.next.Sub(now))
		}
	}
	for _, records := range r.Known { // unordered: the least of them
		for _, k := range records { // unordered: the least of them
			if !k.Ends.IsZero() {
				wait = min(wait, time.Until(k.Ends)+time.Millisecond)
			}
		}
	}
	return max(wait, 200*time.Microsecond)
}

// listen handles inputs for a while, until there is one.
func (r *run) listen(ctx context.Context, long time.Duration) error {
	began := time.Now()
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case p := <-r.passes:
		r.note(p)
	case h := <-r.heard:
		return r.hear(h)
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		if starved := time.Since(began) - long; starved > busy {
			r.bound += slack * starved
		}
	}
	return nil
}

const (
	// busy is how late a timer is on a machine that has no time for this process.
	busy = 10 * time.Millisecond
	// slack is by how much longer a client may wait then: its process has no time either.
	slack = 4
)

// stop ends all processes and connections.
func (r *run) stop() {
	for _, a := range r.actors {
		a.stop()
	}
	for _, g := range r.gates {
		g.Close()
	}
}

// lookAll looks at the records of all serving nodes.
func (r *run) lookAll() error {
	for server := range r.Servers {
		if _, err := r.look(r.seats.of(server), model.Origin{}); err != nil {
			return err
		}
	}
	return nil
}

// lookExpired looks at the records of nodes that have one whose end has come, or may have come.
func (r *run) lookExpired() error {
	for server := range r.Servers {
		node := r.seats.of(server)
		if r.sessional(node) {
			if _, err := r.look(node, model.Origin{}); err != nil {
				return err
			}
			continue
		}
		for _, k := range r.Known[r.place(node)] { // unordered: one look for all
			if !k.Ends.IsZero() && !time.Now().Before(k.Ends) {
				if _, err := r.look(node, model.Origin{}); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// place returns the owner of a node's records: the node.
func (r *run) place(node string) string { return node }

// look compares a node's records with the last seen ones, and records the changes with their origin. Without an origin, a
// record has ended by itself.
func (r *run) look(node string, by model.Origin) (changed bool, err error) {
	if node == "" {
		return false, nil
	}
	now, err := r.servers.Records(node)
	if err != nil {
		return false, err
	}
	place := r.place(node)
	before := r.At(place)
	for _, key := range sortedKeys(before) {
		if new, there := now[key]; there && (new.Session == before[key].Session || !r.hasSessions()) && !before[key].ExpiredBefore(new, time.Now()) {
			continue
		}
		changed = r.Ended(node, place, key, r.byGiver(node, before[key], by)) || changed
	}
	for _, key := range sortedKeys(now) {
		if old, there := before[key]; !there || !old.Equal(now[key]) {
			r.Changed(node, place, key, now[key], r.byTaker(node, now[key], by))
			changed = true
		}
	}
	r.watchFaults()
	return changed, nil
}

// errClient makes a ClientError of a report that no state of a client expects.
func errClient(a *actor, format string, args ...any) error {
	return a.broken("%s", fmt.Sprintf(format, args...))
}

// isClient reports whether an error is what a client has done.
func isClient(err error) bool {
	var e *ClientError
	return errors.As(err, &e)
}
