package confirm

import (
	"time"

	"github.com/lockpick-dev/lockpick/real/internal/gate"
	"github.com/lockpick-dev/lockpick/sim"
)

// hearing is a message that a client receives unasked, by its signature.
type hearing struct{ client, signature string }

// lateness is how long to wait for an unasked message when its turn has come.
const lateness = 250 * time.Millisecond

// note handles what an end of a link has sent.
func (d *driver) note(p gate.Passage) {
	k := d.linked(p.Link)
	switch {
	case p.Message == nil && p.ByServer:
		k.ended, k.broken = true, p.Broken
	case p.Message == nil:
		k.gone = true
		d.over(k, sim.EventClose, k.Node, k.Gate.Client)
		d.lost(k)
	case p.ByServer:
		k.inbox = append(k.inbox, &answer{Message: *p.Message, at: p.At})
	default:
		r := &request{link: k, Message: *p.Message, at: p.At}
		d.arrived(r)
		d.waiting = append(d.waiting, r)
	}
}

// take handles all inputs. Answers to requests in the order wait for their steps.
func (d *driver) take() {
	for more := true; more; {
		select {
		case p := <-d.passes:
			d.note(p)
		default:
			more = false
		}
	}
	for _, k := range d.links {
		if !apart(d.partition.Load(), k.Node, k.Gate.Client) { // otherwise the network keeps it
			d.see(k)
			d.flush(k)
		}
	}
}

// see finds the requests of a link that have been answered, or never will be.
func (d *driver) see(k *link) {
	for _, a := range k.inbox {
		if r := k.asked[a.Number]; !a.seen && r != nil {
			a.to, r.answer, r.answered = r, a, true
			delete(k.asked, a.Number)
			d.lives(k.Gate.Client, k.Node, &a.Message, r.since)
		}
		a.seen = true
	}
	if !k.ended {
		return
	}
	for n, r := range k.asked { // unordered: each by itself
		r.answered = true
		delete(k.asked, n)
	}
}

// flush delivers to a client the messages that it may have, and then the end of the connection.
func (d *driver) flush(k *link) {
	if k.over {
		return
	}
	for len(k.inbox) > 0 && k.inbox[0].seen && d.mayReach(k, k.inbox[0]) {
		d.returns(k, k.inbox[0], sim.EventDeliver)
		_, _ = k.Client.Write(k.inbox[0].Bytes) // it may have hung up
		if r := k.inbox[0].to; r != nil {
			d.settled(r)
		}
		k.inbox = k.inbox[1:]
	}
	if k.ended && len(k.inbox) == 0 {
		k.over = true
		kind := sim.EventClose
		if k.broken {
			kind = sim.EventReset
			gate.Reset(k.Client)
		} else {
			_ = k.Client.Close() // the client may first read what has arrived
		}
		d.over(k, kind, k.Gate.Client, k.Node)
		d.lost(k)
	}
}

// mayReach reports whether a server's message may be delivered to a client.
func (d *driver) mayReach(k *link, a *answer) bool {
	switch r := a.to; {
	case r != nil && r.inOrder:
		return r.released
	case r != nil && d.store.Blocks(r.Signature):
		return d.mayReturn(k.Gate.Client)
	case a.Number == 0 && a.Signature != "":
		return d.mayHear(hearing{k.Gate.Client, a.Signature}, a)
	}
	return true
}

// mayReturn reports whether the answer to a request that has waited at its server may let the client's call return: if the
// return is the client's next step, its turn must have come.
func (d *driver) mayReturn(client string) bool {
	s := d.nextOf(client, call, returned, executes)
	return s == nil || s.kind != returned || s == &d.steps[d.position]
}

// mayHear reports whether an unasked message may be delivered: not before its turn, if it has one.
func (d *driver) mayHear(h hearing, a *answer) bool {
	if !a.due && d.early[h] > 0 {
		d.early[h]--
		a.due = true
	}
	if a.due {
		return true
	}
	for i := d.position; i < len(d.steps); i++ {
		if s := &d.steps[i]; (s.kind == hears || s.kind == misses) && s.client == h.client && s.request == h.signature {
			return false
		}
	}
	return true
}

// hears delivers an unasked message to a client, or loses it with its connection. One that does not come soon may come
// later.
func (d *driver) hears(s *step) (done bool) {
	d.take()
	for _, k := range d.links {
		for _, a := range k.inbox {
			if k.Gate.Client != s.client || !a.seen || a.due || a.to != nil || a.Signature != s.request {
				continue
			}
			a.due = true
			if s.kind == misses {
				d.breakOff(k, a)
			}
			d.flush(k)
			return true
		}
	}
	if time.Since(d.turn) < lateness {
		return false
	}
	if s.kind == hears {
		d.early[hearing{s.client, s.request}]++
	}
	return true
}

// breakOff ends a client's connection before it gets a message of its server, nil if there is none.
func (d *driver) breakOff(k *link, a *answer) {
	gate.Reset(k.Client)
	if a != nil {
		d.returns(k, a, sim.EventDrop)
	}
	d.over(k, sim.EventReset, k.Gate.Client, k.Node)
	d.lost(k)
	k.over = true
}

// deliver delivers an answer to a client, after earlier messages of its server.
func (d *driver) deliver(r *request) {
	r.released = true
	d.flush(r.link)
}
