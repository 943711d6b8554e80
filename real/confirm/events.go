package confirm

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// The events of a real run are like those of a simulated one, so that the same pictures show them. A message is
// sent when its gate has it, and arrives when the driver lets it through.

// log adds an event, and returns when it happened.
func (r *recorder) log(e sim.Event) model.Stamp {
	r.seq++
	e.Seq, e.At = r.seq, time.Since(r.began)
	r.events = append(r.events, e)
	return model.Stamp{Seq: e.Seq, At: e.At}
}

// mark logs an action of a client's workload.
func (r *recorder) mark(client, what string) model.Stamp {
	return r.log(sim.Event{Kind: sim.EventMark, Actor: client, Detail: what})
}

// seen logs an observation.
func (r *recorder) seen(o *model.Observation) model.Stamp {
	kind, detail := sim.EventNote, string(o.Kind)
	switch o.Kind {
	case model.Paused, model.Resumed, model.Crashed, model.Returned, model.Promoted, model.Delayed, model.ReplyLost, model.ClockJumped, model.ClockOff,
		model.Parted, model.United:
		kind = sim.EventFault
	}
	if o.Key != "" {
		detail += " " + o.Key + " = " + o.Value
	}
	return r.log(sim.Event{Kind: kind, Actor: o.Node, Detail: detail})
}

// sentAt returns when a gate had a message, in the run's time. Connections are set up before the run begins.
func (r *recorder) sentAt(t time.Time) time.Duration { return max(t.Sub(r.began), 0) }

// held reports whether a gate held a message for longer than handling takes.
func (r *recorder) held(sent time.Duration) bool { return time.Since(r.began)-sent > margin }

// arrives logs the arrival of a request at its node.
func (d *driver) arrives(r *request) {
	sent := d.sentAt(r.at)
	d.log(sim.Event{Kind: sim.EventDeliver, Actor: r.node, Peer: r.gate.client, Conn: r.number, Sent: sent, Late: d.held(sent), Payload: r.Bytes})
}

// returns logs the arrival of a server's message at its client, or its loss.
func (d *driver) returns(k *link, a *answer, kind sim.EventKind) {
	sent := d.sentAt(a.at)
	d.log(sim.Event{Kind: kind, Actor: k.gate.client, Peer: k.node, Conn: k.number, Sent: sent, Late: d.held(sent), Payload: a.Bytes})
}

// over logs the end of a connection at the actor that learns of it from its peer, once.
func (d *driver) over(k *link, kind sim.EventKind, actor, peer string) {
	if !k.logged {
		k.logged = true
		d.log(sim.Event{Kind: kind, Actor: actor, Peer: peer, Conn: k.number})
	}
}
