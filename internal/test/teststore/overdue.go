package teststore

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// An expired ticket leaves a coat behind, until its client sends the desk another request: an event that only this store
// has.
var (
	coatLeft = model.Note{
		Event: "coat-left", Place: model.PlaceStrip, Phase: model.PhaseBegins, Bad: true,
		Title: "{owner}'s coat is overdue", Label: "{owner}'s coat is overdue", Short: "overdue", Unended: "Nobody comes for it.",
		Text: "{node} keeps {owner}'s coat, which is overdue",
	}
	coatFetched = model.Note{
		Event: "coat-fetched", Place: model.PlaceStrip, Phase: model.PhaseEnds, Line: "{owner} comes for it at {at}.",
	}
)

// overdue are the expired tickets, by client.
type overdue map[string]ticket

// left reports that a ticket has expired.
func (d *desk) left(t ticket) {
	d.overdue[t.owner.Client] = t
	d.show(coatLeft, t)
}

// fetched reports that a client with an expired ticket is back, if it has one.
func (d *desk) fetched(client string) {
	if t, late := d.overdue[client]; late {
		delete(d.overdue, client)
		d.show(coatFetched, t)
	}
}

// show reports a note about a ticket.
func (d *desk) show(n model.Note, t ticket) {
	n.Subject = t.holder
	e := d.world.Log(sim.Event{Kind: sim.EventInfo, Actor: d.actor.Name(), Peer: t.owner.Client, Conn: t.owner.Conn, Detail: n.String()})
	d.observe(model.Observation{Stamp: model.Stamp{Seq: e.Seq, At: e.At}, Node: d.actor.Name(), Kind: model.Noted, Owner: t.owner, Note: &n})
}
