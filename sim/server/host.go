package server

import (
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Host is the host of a server's process: an actor with an address at which it listens.
type Host struct {
	*sim.Actor
	world   *sim.World
	address string
	accept  func(*sim.ServerConn) sim.Handler

	down  bool
	awake func()   // cancels the end of a hang; nil if it does not hang
	held  []func() // work that has arrived while it hangs
}

// NewHost adds a host to the world. Accept takes the connections of its clients.
func NewHost(w *sim.World, name, address string, accept func(*sim.ServerConn) sim.Handler) *Host {
	h := &Host{Actor: w.NewActor(name), world: w, address: address, accept: accept}
	h.Passive()
	h.listen()
	return h
}

func (h *Host) listen() { h.world.Network().Listen(h.address, h.Actor, h.accept) }

// Address returns the address at which the server listens.
func (h *Host) Address() string { return h.address }

// Down reports whether the server has crashed and not restarted.
func (h *Host) Down() bool { return h.down }

// Hangs reports whether the server hangs.
func (h *Host) Hangs() bool { return h.awake != nil }

// Hang stops the server for d, as SIGSTOP does: the machine goes on accepting connections and
// data, and functions passed to [Host.Do] wait. Its clock runs on. After d it calls over, which
// must call the functions of [Host.Held]. Hang does nothing, and returns false, if the server is
// down or hangs already.
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

// Do calls f now, or if the server hangs, holds it for [Host.Held].
func (h *Host) Do(f func()) {
	if h.Hangs() {
		h.held = append(h.held, f)
		return
	}
	f()
}

// Held removes and returns the functions held while the server hung, in order.
func (h *Host) Held() []func() {
	held := h.held
	h.held = nil
	return held
}

// Crash ends the process, and a hang with it. Observe gets the observation. Crash does not
// reset the connections: [sim.Network.Crash] does. It returns false if the server was down
// already.
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

// Start restarts a crashed server: it listens again.
func (h *Host) Start() {
	h.down = false
	h.listen()
}

// Logged logs an observation of the server as an event, and returns it with the server's name and
// the event's stamp.
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
