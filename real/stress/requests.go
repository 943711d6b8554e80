package stress

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/internal/gate"
)

// link is a connection of a client's, and the one to the server for it. All of it belongs to the stand.
type link struct {
	*gate.Link
	number int
	asked  map[int]*request // let through, by their numbers
	inbox  []*answer        // sent by the server, and not delivered yet
	last   model.Origin     // of the last request that was let through
	gone   bool             // the client has hung up
	ended  bool             // the server has hung up
	broken bool             // by a reset
	over   bool             // for the client
	closed bool             // to the server
}

// request is a request of a client.
type request struct {
	*link
	confirm.Message
	by       model.Origin
	decided  bool
	due      time.Time // when it passes
	loses    bool      // then it is lost
	seen     int       // the index of its delay among the observations, -1 for none
	alone    bool      // it is executed, and its effect is not known yet
	answered bool      // or never will be
}

// answer is a message of a server. It may come unasked.
type answer struct {
	confirm.Message
	to      *request
	decided bool
	due     time.Time
	loses   bool
	seen    int
}

// linked returns the link of a gate's connection, and records a new one.
func (r *run) linked(g *gate.Link) *link {
	if i := slices.IndexFunc(r.links, func(k *link) bool { return k.Link == g }); i >= 0 {
		return r.links[i]
	}
	r.conns++
	k := &link{Link: g, number: r.conns, asked: map[int]*request{}}
	r.links = append(r.links, k)
	return k
}

// client returns the name of the link's client.
func (k *link) client() string { return k.Gate.Client }

// note handles what an end of a connection has sent.
func (r *run) note(p gate.Passage) {
	k := r.linked(p.Link)
	switch {
	case p.Message == nil && p.ByServer:
		k.ended, k.broken = true, p.Broken
		for _, q := range k.asked { // unordered: each by itself
			q.answered = true
		}
	case p.Message == nil:
		k.gone = true
	case p.ByServer:
		a := &answer{Message: *p.Message, to: k.asked[p.Message.Number], seen: -1}
		if a.to != nil && a.Number != 0 {
			a.to.answered = true
			delete(k.asked, a.Number)
		}
		k.inbox = append(k.inbox, a)
	default:
		q := &request{link: k, Message: *p.Message, by: r.originOf(k), seen: -1}
		q.by.Conn = k.number
		r.waiting = append(r.waiting, q)
	}
}

// originOf returns the operation to which a client's current request belongs: the one under way, or its last one. Of several
// threads it is the one whose operation used the connection last, if that is under way, or else one that waits for no answer.
func (r *run) originOf(k *link) model.Origin {
	o := model.Origin{Client: k.client()}
	best := -1
	for _, a := range r.actors {
		if a.name != o.Client {
			continue
		}
		rank := 0
		switch {
		case a.op == 0:
		case a.op == k.last.Op:
			rank = 3
		case !r.awaits(a.op):
			rank = 2
		default:
			rank = 1
		}
		if op := max(a.op, 0); rank > best || rank == best && (op > o.Op || op == 0 && a.last > o.Op) {
			best = rank
			if o.Op = a.op; a.op == 0 {
				o.Op = a.last
			}
		}
	}
	return o
}

// awaits reports whether an operation waits for the answer to a request.
func (r *run) awaits(op int) bool {
	for _, q := range r.waiting {
		if q.by.Op == op && q.Signature != "" {
			return true
		}
	}
	for _, k := range r.links {
		for _, q := range k.asked { // unordered: any
			if q.by.Op == op && q.Signature != "" {
				return true
			}
		}
	}
	return false
}

// passAll lets requests through, except those that are held or lost, and answers.
func (r *run) passAll() error {
	for i := 0; i < len(r.waiting); {
		q := r.waiting[i]
		if slices.ContainsFunc(r.waiting[:i], func(o *request) bool { return o.link == q.link }) || !r.comes(q) {
			i++
			continue
		}
		r.waiting = slices.Delete(r.waiting, i, i+1)
		if err := r.execute(q); err != nil {
			return err
		}
		i = 0 // answers may have ended connections
	}
	for _, k := range slices.Clone(r.links) {
		r.flush(k)
		r.hangUp(k)
	}
	return nil
}

// comes reports whether a request passes now: it is decided about when it is the first of its connection.
func (r *run) comes(q *request) bool {
	if !q.decided {
		q.decided, q.due = true, time.Now()
		if f := r.fate(q.link, q.Signature, r.faults.Request); f != (Fate{}) {
			r.struck++
			q.due, q.loses = q.due.Add(f.Late), f.Lost
			if f.Late > unseen {
				q.seen = len(r.History.Observations)
				r.Observe(model.Observation{Node: q.client(), Kind: model.Delayed, By: q.by})
			}
		}
	}
	return !time.Now().Before(q.due)
}

// unseen is the longest delay that is not recorded: messages between processes take as long on a busy machine.
const unseen = 4 * time.Millisecond

// fate asks what happens to a message.
func (r *run) fate(k *link, what string, decide func(Message) Fate) Fate {
	if r.healing {
		return Fate{}
	}
	m := Message{Client: k.client(), Node: k.Node, Conn: k.number, What: what, At: time.Since(r.Began)}
	for _, a := range r.actors {
		if a.name == m.Client && a.op != 0 {
			m.Op = r.History.Operation(a.op).Kind
		}
	}
	return decide(m)
}

// timeToAnswer is how long a request is let run alone, so that its effect is known to be its own.
const timeToAnswer = time.Second

// execute sends a request to its server, waits for its answer, and looks for its effect.
func (r *run) execute(q *request) error {
	r.lasted(q.seen)
	switch {
	case q.closed || q.ended:
		return nil
	case q.loses || !r.seats.serves(q.Node):
		if q.loses {
			r.lostOne(q)
		}
		r.breakOff(q.link)
		return nil
	}
	q.alone = q.Signature != "" && q.Number != 0 && !r.Store.Blocks(q.Signature)
	if q.Number != 0 {
		q.asked[q.Number] = q
	}
	if q.Signature != "" && (r.sessional(q.Node) || r.ends(q.Node)) { // what has ended by itself is not this request's doing
		if err := r.look(q.Node, model.Origin{}, nil); err != nil {
			return err
		}
	}
	if q.Signature != "" {
		q.last = q.by
	}
	_, _ = q.Server.Write(q.Bytes) // if the server is gone, its client will see
	if !q.alone {
		return nil
	}
	for end := time.Now().Add(timeToAnswer); !q.answered && !q.ended && time.Now().Before(end); {
		select {
		case p := <-r.passes:
			r.note(p)
		case <-time.After(time.Until(end)):
		}
	}
	q.alone = false
	return r.look(q.Node, q.by, q.link)
}

// lostOne records a request that is lost.
func (r *run) lostOne(q *request) {
	r.Observe(model.Observation{Node: q.client(), Kind: model.Noted, By: q.by, Note: &model.Note{
		Event: "request-lost", Detail: q.Signature, Bad: true, Text: "{node} sends a request, which is lost with its connection"}})
	r.History.Healed = max(r.History.Healed, time.Since(r.Began))
}

// sessional reports whether a node has a record that ends with a session, so that its end is not known before.
func (r *run) sessional(node string) bool {
	for _, k := range r.Known[r.place(node)] { // unordered: any
		if k.Session != "" && k.Ends.IsZero() {
			return true
		}
	}
	return false
}
