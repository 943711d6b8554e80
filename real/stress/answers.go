package stress

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/internal/gate"
)

// This file delivers answers, and ends connections.

// flush delivers to a client the messages that it may have, and then the end of the connection.
func (r *run) flush(k *link) {
	for !k.over && len(k.inbox) > 0 {
		a := k.inbox[0]
		if a.to != nil && a.to.alone || !r.mayHave(k, a) {
			return
		}
		r.lasted(a.seen)
		if a.loses {
			o := model.Observation{Node: k.client(), Kind: model.ReplyLost}
			if a.to != nil {
				o.By = a.to.by
			}
			r.Observe(o)
			r.breakOff(k)
			return
		}
		_, _ = k.Client.Write(a.Bytes) // it may have hung up
		k.inbox = k.inbox[1:]
	}
	if k.over || !k.ended || len(k.inbox) > 0 {
		return
	}
	k.over = true
	if k.broken {
		gate.Reset(k.Client)
	} else {
		_ = k.Client.Close() // the client may first read what has arrived
	}
}

// mayHave reports whether a client may have a message now. It decides about one when its turn has come. The effect of a
// request that waited at its server is known then.
func (r *run) mayHave(k *link, a *answer) bool {
	if !a.decided {
		a.decided, a.due = true, time.Now()
		what := ""
		if a.to != nil {
			what = a.to.Signature
			if what != "" && r.Store.Blocks(what) && r.seats.serves(k.Node) {
				r.fail(r.look(k.Node, a.to.by, k))
			}
		}
		if f := r.fate(k, what, r.faults.Answer); f != (Fate{}) {
			r.struck++
			a.due, a.loses = a.due.Add(f.Late), f.Lost
			if f.Late > unseen {
				a.seen = len(r.History.Observations)
				o := model.Observation{Node: k.Node, Kind: model.Delayed}
				if a.to != nil {
					o.By = a.to.by
				}
				r.Observe(o)
			}
		}
	}
	return !time.Now().Before(a.due)
}

// fail records an error, which ends the round.
func (r *run) fail(err error) {
	if r.failed == nil {
		r.failed = err
	}
}

// breakOff resets a connection for its client, and closes it for the server. Requests of it that wait are lost.
func (r *run) breakOff(k *link) {
	gate.Reset(k.Client)
	k.over, k.inbox = true, nil
	r.waiting = slices.DeleteFunc(r.waiting, func(q *request) bool {
		if q.link == k && !k.gone {
			r.lasted(q.seen)
			if q.Signature != "" {
				r.lostOne(q)
			}
		}
		return q.link == k
	})
	r.close(k)
}

// close closes a link to its server.
func (r *run) close(k *link) {
	if !k.closed {
		k.closed = true
		_ = k.Server.Close()
	}
}

// hangUp closes a link to its server when its client has hung up, and its requests have passed. It forgets a link that has
// ended at both ends.
func (r *run) hangUp(k *link) {
	if k.gone && !slices.ContainsFunc(r.waiting, func(q *request) bool { return q.link == k }) {
		r.close(k)
	}
	if k.closed && k.ended && (k.gone || k.over) && len(k.inbox) == 0 {
		r.links = slices.DeleteFunc(r.links, func(o *link) bool { return o == k })
	}
}
