package teststore

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

const address = "10.0.1.1:700"

// desk is the server. Only the conductor uses it.
type desk struct {
	actor   *sim.Actor
	world   *sim.World
	clock   *sim.Timepiece
	observe func(model.Observation)

	down    bool
	awake   func() // cancels the end of a hang; nil if it does not hang
	queue   []request
	tickets map[string]ticket
	overdue overdue
	ends    func() // cancels the next end of a ticket; nil if there is none
}

// ticket is the ticket of a name.
type ticket struct {
	holder string
	ends   time.Time // by the desk's clock
	owner  model.Origin
}

// request is a line that a client has sent.
type request struct {
	conn *sim.ServerConn
	line string
	task *sim.Task
}

func newDesk(w *sim.World, observe func(model.Observation)) *desk {
	d := &desk{actor: w.NewActor("desk"), world: w, clock: w.NewTimepiece(0, 0), observe: observe, tickets: map[string]ticket{}, overdue: overdue{}}
	d.open()
	return d
}

func (d *desk) open() {
	d.world.Network().Listen(address, d.actor, func(c *sim.ServerConn) sim.Handler { return &counter{desk: d, conn: c} })
}

// counter is the desk's side of a connection.
type counter struct {
	desk *desk
	conn *sim.ServerConn
	in   []byte
}

// Gone ends the session; there is nothing to clean up.
func (*counter) Gone() {}

// Receive queues the complete requests.
func (c *counter) Receive(data []byte, t *sim.Task) {
	c.in = append(c.in, data...)
	for {
		line, rest, found := bytes.Cut(c.in, []byte("\n"))
		if !found {
			break
		}
		c.in = rest
		c.desk.queue = append(c.desk.queue, request{c.conn, string(line), t})
	}
	c.desk.serve()
}

// serve answers the queued requests, unless the desk hangs.
func (d *desk) serve() {
	for d.awake == nil && !d.down && len(d.queue) > 0 {
		r := d.queue[0]
		d.queue = d.queue[1:]
		answer := "NO"
		if d.execute(r) {
			answer = "OK"
		}
		r.conn.Send(0, []byte(answer+"\n"), r.task)
	}
}

// execute reports whether a request was granted: TAKE name holder milliseconds, GIVE name holder, or GIVE name, which does
// not check the holder.
func (d *desk) execute(r request) bool {
	by := model.Origin{Client: r.conn.Client().Name(), Conn: r.conn.ID()}
	if r.task != nil {
		by.Op = r.task.ID
	}
	d.fetched(by.Client)
	words := strings.Fields(r.line)
	if len(words) < 2 {
		return false
	}
	name := words[1]
	old, held := d.tickets[name]
	switch {
	case words[0] == "TAKE" && len(words) == 4 && !held:
		lease, err := strconv.Atoi(words[3])
		if err != nil {
			return false
		}
		d.tickets[name] = ticket{words[2], d.now().Add(time.Duration(lease) * time.Millisecond), by}
		d.note(model.RecordCreated, name, d.tickets[name], by)
	case words[0] == "GIVE" && held && (len(words) == 2 || words[2] == old.holder):
		delete(d.tickets, name)
		d.note(model.RecordDeleted, name, old, by)
	default:
		return false
	}
	d.watch()
	return true
}

func (d *desk) now() time.Time { return d.clock.At(d.world.Now()) }

// note observes an event of a ticket.
func (d *desk) note(kind model.ObservationKind, name string, t ticket, by model.Origin) {
	d.tell(model.Observation{
		Kind: kind, Key: name, Value: t.holder, Owner: t.owner, By: by, ExpiresAt: d.clock.When(t.ends),
	})
}

func (d *desk) tell(o model.Observation) {
	e := d.world.Log(sim.Event{Kind: sim.EventNote, Actor: d.actor.Name(), Peer: o.By.Client, Conn: o.By.Conn, Detail: strings.TrimSpace(fmt.Sprintf("%s %s", o.Kind, o.Key))})
	o.Stamp, o.Node, o.Authority = model.Stamp{Seq: e.Seq, At: e.At}, d.actor.Name(), d.actor.Name()
	d.observe(o)
}

// watch ends tickets when their time is over. There is one name in a run.
func (d *desk) watch() {
	if d.ends != nil {
		d.ends()
		d.ends = nil
	}
	for name, t := range d.tickets { // unordered: there is one
		if !d.now().Before(t.ends) {
			delete(d.tickets, name)
			d.note(model.RecordExpired, name, t, model.Origin{})
			d.left(t)
			return
		}
		d.ends = d.world.At(d.actor, d.clock.When(t.ends), sim.EventWork, sim.EventOptions{}, func() {
			d.ends = nil
			d.watch()
		})
	}
}

// The desk is a node that can hang, whose clock can jump, and that can start again.
var (
	_ stage.Node       = (*desk)(nil)
	_ stage.Hanger     = (*desk)(nil)
	_ stage.Jumper     = (*desk)(nil)
	_ stage.Restarting = cloakroom{}
)

func (d *desk) Actor() *sim.Actor { return d.actor }
func (d *desk) Up() bool          { return !d.down }
func (d *desk) Serves() bool      { return true }
func (d *desk) Hangs() bool       { return d.awake != nil }

// Hang makes the desk answer no client for a while.
func (d *desk) Hang(length time.Duration) bool {
	if d.down || d.awake != nil {
		return false
	}
	d.world.Fault(d.actor, sim.FaultPause, length)
	d.awake = d.world.At(d.actor, d.world.Now()+length, sim.EventFault, sim.EventOptions{Vital: true}, func() {
		d.awake = nil
		d.world.Fault(d.actor, sim.FaultResume, 0)
		d.serve()
	})
	return true
}

// Jump moves the desk's clock.
func (d *desk) Jump(by time.Duration) {
	d.clock.Jump(by)
	d.world.Strike(d.actor, sim.Fault{Kind: sim.FaultJump, By: by})
	d.watch()
}

// Crash ends the desk's process; its tickets are kept.
func (d *desk) Crash() {
	if d.down {
		return
	}
	d.down, d.queue = true, nil
	d.world.Fault(d.actor, sim.FaultCrash, 0)
	d.tell(model.Observation{Kind: model.Crashed})
	if d.awake != nil {
		d.awake()
		d.awake = nil
	}
	if d.ends != nil {
		d.ends()
		d.ends = nil
	}
	d.world.Network().Crash(d.actor)
}

// cloakroom is the desk as the one server that there is.
type cloakroom struct{ desk *desk }

func (c cloakroom) Nodes() []stage.Node { return []stage.Node{c.desk} }
func (c cloakroom) Serving() stage.Node { return c.desk }
func (c cloakroom) Addresses() []string { return []string{address} }

// Restart opens a desk that has crashed, with or without its tickets.
func (c cloakroom) Restart(_ stage.Node, kept int) {
	d := c.desk
	d.down = false
	d.open()
	d.tell(model.Observation{Kind: model.Returned})
	if kept == 1 {
		for name, t := range d.tickets { // unordered: there is one
			delete(d.tickets, name)
			d.note(model.RecordDropped, name, t, model.Origin{})
		}
	}
	d.watch()
}
