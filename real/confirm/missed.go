package confirm

import "slices"

// A server that hangs gets the missed requests when it goes on, in the trace's order, and up to the next request that
// changes a record. If it had all of them, it would execute all before the effect of each could be seen. The server does
// not notice: it reads its sockets when it goes on.

// missed is a request that came while its server hung.
type missed struct {
	*request
	effect bool // it has an effect, which is awaited
}

// let lets a request through, or keeps it for a server that hangs or lacks earlier requests.
func (d *driver) let(r *request, effect bool) {
	if place := d.place(r.Node); d.ensemble == nil && (d.isHung(r.Node) || len(d.missed[place]) > 0) {
		d.missed[place] = append(d.missed[place], missed{r, effect})
		return
	}
	d.send(r, effect)
}

// send sends a request to its server, and waits for its effect if it has one.
func (d *driver) send(r *request, effect bool) {
	if effect {
		d.effects[d.place(r.Node)] = r
	}
	d.forward(r)
}

// catchUp sends a server that goes on the missed requests, up to the next one with an effect. While an effect is awaited
// it sends nothing: it is called again when the effect has been seen.
func (d *driver) catchUp(node string) {
	place := d.place(node)
	if d.effects[place] != nil {
		return
	}
	for len(d.missed[place]) > 0 && !d.isHung(d.missed[place][0].Node) {
		next := d.missed[place][0]
		d.missed[place] = d.missed[place][1:]
		d.send(next.request, next.effect)
		if next.effect {
			return
		}
	}
}

// hasMissed reports whether a request has not been let through yet since its server hung.
func (d *driver) hasMissed(r *request) bool {
	return slices.ContainsFunc(d.missed[d.place(r.Node)], func(m missed) bool { return m.request == r })
}

// hasMissedOn reports whether the server has missed a request on the connection.
func (d *driver) hasMissedOn(k *link) bool {
	return slices.ContainsFunc(d.missed[d.place(k.Node)], func(m missed) bool { return m.link == k })
}
