package confirm

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// held reports whether a gate held a message for longer than handling takes.
func (r *recorder) held(sent time.Duration) bool { return time.Since(r.Began)-sent > margin }

// arrives logs the arrival of a request at its node.
func (d *driver) arrives(r *request) {
	sent := d.SentAt(r.at)
	d.Log(sim.Event{Kind: sim.EventDeliver, Actor: r.Node, Peer: r.Gate.Client, Conn: r.number, Sent: sent, Late: d.held(sent), Payload: r.Bytes})
}

// returns logs the arrival of a server's message at its client, or its loss.
func (d *driver) returns(k *link, a *answer, kind sim.EventKind) {
	sent := d.SentAt(a.at)
	d.Log(sim.Event{Kind: kind, Actor: k.Gate.Client, Peer: k.Node, Conn: k.number, Sent: sent, Late: d.held(sent), Payload: a.Bytes})
}

// over logs the end of a connection at the actor that learns of it from its peer, once.
func (d *driver) over(k *link, kind sim.EventKind, actor, peer string) {
	if !k.logged {
		k.logged = true
		d.Log(sim.Event{Kind: kind, Actor: actor, Peer: peer, Conn: k.number})
	}
}
