package confirm

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/internal/gate"
	"github.com/lockpick-dev/lockpick/sim"
)

// link is a connection of the client's, and the one to the server for it. All of it belongs to the driver.
type link struct {
	*gate.Link
	number       int              // of the connection, from 1, once the driver knows it
	over, logged bool             // for the client; in the events
	gone, ended  bool             // the client, the server has hung up
	broken       bool             // the server has done so by a reset
	hungUp       bool             // the server knows that the client has hung up
	cut          bool             // nothing reaches the server any more
	last         *request         // let through last, and asking for something
	asked        map[int]*request // let through, by their numbers
	inbox        []*answer        // sent by the server, and not delivered yet
	owed         []*request       // those without a delivered answer
}

// request is a request of a client.
type request struct {
	*link
	Message
	// at is its arrival. by is its origin, sentFor the operation of this run that was under way at its arrival, and open is
	// set until its client has the answer, or cannot get it any more.
	at      time.Time
	by      model.Origin
	sentFor int
	open    bool
	// inOrder is set if it is a step, wasParted if a partition has held it, and held if the trace may hold it.
	inOrder, wasParted, held bool
	// step is the request's step, once known before its turn, and otherwise 0. accepts is set once it is known that the server
	// would not refuse it ([Servers.Refuses]).
	step    int
	accepts bool
	// changed is set once its effect has been seen.
	changed bool
	// answer is the server's answer, and answered is set if there is one, or never will be.
	answer   *answer
	answered bool
	since    time.Time // it was let through
	// released is set once its answer's turn has come.
	released bool
}

// reply returns the answer of its server, nil if there is none.
func (r *request) reply() []byte {
	if r.answer == nil {
		return nil
	}
	return r.answer.Bytes
}

// answer is a message of a server. It may come unasked.
type answer struct {
	Message
	at time.Time
	to *request // nil if none is known
	// seen is set once the network lets the driver see it, and due once its turn has come, if it comes unasked.
	seen, due bool
}

// linked returns the link of a gate's connection, and records a new one.
func (d *driver) linked(g *gate.Link) *link {
	if i := slices.IndexFunc(d.links, func(k *link) bool { return k.Link == g }); i >= 0 {
		return d.links[i]
	}
	k := &link{Link: g, number: len(d.links) + 1, asked: map[int]*request{}}
	d.links = append(d.links, k)
	d.Log(sim.Event{Kind: sim.EventDial, Actor: k.Node, Peer: k.Gate.Client, Conn: k.number})
	return k
}
