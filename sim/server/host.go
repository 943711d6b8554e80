package server

import (
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Host is where the process of a server runs: an actor with an address at which it listens.
type Host struct {
	*sim.Actor
	world   *sim.World
	address string
	accept  func(*sim.ServerConn) sim.Handler

	down  bool
	awake func()   // cancels the end of a hang; nil if it does not hang
	held  []func() // what has arrived while it hangs
}

// NewHost adds a host to the world. Accept takes the connections of its clients.
func NewHost(w *sim.World, name, address string, accept func(*sim.ServerConn) sim.Handler) *Host {
	h := &Host{Actor: w.NewActor(name), world: w, address: address, accept: accept}
	h.Passive()
	h.listen()
	return h
}

func (h *Host) listen() { h.world.Network().Listen(h.address, h.Actor, h.accept) }

// Address returns where the server listens.
func (h *Host) Address() string { return h.address }

// Down reports whether the server has crashed and not come back.
func (h *Host) Down() bool { return h.down }

// Hangs reports whether the server hangs.
func (h *Host) Hangs() bool { return h.awake != nil }

// Hang stops the server for d, as SIGSTOP does: the machine goes on accepting connections and
// data, and what is to be done with [Host.Do] waits. Its clock goes on. After d it calls over,
// which has to do what [Host.Held] has. A server that is down or hangs already is left as it is,
// and the result is false.
func (h *Host) Hang(d time.Duration, over func()) bool {
	if h.down || h.Hangs() || d <= 0 {
		return false
	}
	h.world.Fault(h.Actor, sim.FaultPause, d)
	h.awake = h.world.At(h.Actor, h.world.Now()+d, sim.EventFault, sim.EventOptions{Vital: true}, func() {
		h.awake = nil
		h.world.Fault(h.Actor, sim.FaultResume, 0)
		over()
	})
	return true
}

// Do does something now, or when the server has resumed after a hang.
func (h *Host) Do(f func()) {
	if h.Hangs() {
		h.held = append(h.held, f)
		return
	}
	f()
}

// Held takes what has arrived while the server hung, in its order.
func (h *Host) Held() []func() {
	held := h.held
	h.held = nil
	return held
}

// Crash ends the process, and a hang with it. Observe gets the observation of that. The
// connections are left: [sim.Network.Crash] resets them. The result is false if the server was
// down already.
func (h *Host) Crash(observe func(model.Observation)) bool {
	if h.down {
		return false
	}
	h.world.Fault(h.Actor, sim.FaultCrash, 0)
	observe(model.Observation{Kind: model.Crashed})
	if h.Hangs() {
		h.awake()
		h.awake = nil
	}
	h.down = true
	return true
}

// Start brings a crashed server back: it listens again.
func (h *Host) Start() {
	h.down = false
	h.listen()
}

// Logged enters an observation of the server into the log, as an event, and completes it with the
// server and the place of the event.
func (h *Host) Logged(o model.Observation) model.Observation {
	e := sim.Event{Kind: sim.EventNote, Actor: h.Name(), Peer: o.By.Client, Conn: o.By.Conn, Detail: string(o.Kind)}
	switch {
	case o.Note != nil:
		e.Kind, e.Peer, e.Conn, e.Detail = sim.EventInfo, o.Owner.Client, o.Owner.Conn, o.Note.String()
	case o.Key != "":
		e.Detail += " " + o.Key
	}
	e = h.world.Log(e)
	o.Stamp, o.Node = model.Stamp{Seq: e.Seq, At: e.At}, h.Name()
	return o
}

// Shown returns a value in an observation: quoted if it is not printable.
func Shown(value string) string {
	if s := strconv.Quote(value); s[1:len(s)-1] != value {
		return s
	}
	return value
}
