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
	if effect {
		d.effects[d.place(r.node)] = r
	}
	d.forward(r)
}

// catchUp lets through what a server that goes on has missed, up to the next request that has an effect: at once, or when the effect
// has been seen that is waited for.
func (d *driver) catchUp(node string) {
	if d.effects[d.place(node)] != nil {
		return
	}
	for list := d.missed[node]; len(list) > 0; {
		next := list[0]
		list = list[1:]
		d.missed[node] = list
		if next.effect {
			d.effects[d.place(node)] = next.request
		}
		d.forward(next.request)
		if next.effect {
			return
		}
	}
}

// hasMissed reports whether a request has not been let through yet since its server hung.
func (d *driver) hasMissed(r *request) bool {
	return slices.ContainsFunc(d.missed[r.node], func(m missed) bool { return m.request == r })
}

// missedBefore reports whether a request comes behind one on its connection that its server has missed.
func (d *driver) missedBefore(r *request) bool {
	return slices.ContainsFunc(d.missed[r.node], func(m missed) bool { return m.link == r.link })
}
