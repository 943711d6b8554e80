package confirm

import "slices"

// A server that hangs gets what is sent to it when it goes on, in the trace's order, and up to the next request that changes a
// record. If all were there, it would execute all before anybody could see what each has done. To the server, which
// asks its sockets when it goes on, it makes no difference.

// missed is a request that came while its server hung.
type missed struct {
	*request
	effect bool // it has one, which is waited for
}

// let lets a request through, or keeps it for a server that hangs or has not had what came before it.
func (d *driver) let(r *request, effect bool) {
	if d.ensemble == nil && (d.hung[r.node] || len(d.missed[r.node]) > 0) {
		d.missed[r.node] = append(d.missed[r.node], missed{r, effect})
		return
	}
	d.send(r, effect)
}

// send sends a request to its server, and has its effect waited for if it has one.
func (d *driver) send(r *request, effect bool) {
	if effect {
		d.effects[d.place(r.node)] = r
	}
	d.forward(r)
}

// catchUp sends a server that goes on what it has missed, up to the next request that has an effect. While an effect is waited for it
// sends nothing: it is called again when that has been seen.
func (d *driver) catchUp(node string) {
	if d.effects[d.place(node)] != nil {
		return
	}
	for len(d.missed[node]) > 0 {
		next := d.missed[node][0]
		d.missed[node] = d.missed[node][1:]
		d.send(next.request, next.effect)
		if next.effect {
			return
		}
	}
}

// hasMissed reports whether a request has not been let through yet since its server hung.
func (d *driver) hasMissed(r *request) bool {
	return slices.ContainsFunc(d.missed[r.node], func(m missed) bool { return m.request == r })
}

// hasMissedOn reports whether the server has missed a request on the connection.
func (d *driver) hasMissedOn(k *link) bool {
	return slices.ContainsFunc(d.missed[k.node], func(m missed) bool { return m.link == k })
}
