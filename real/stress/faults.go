package stress

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Faults decides what goes wrong in a round. The goroutine of the round calls it.
type Faults interface {
	// Request decides about a request that is at its gate, and Answer about the answer to one. The zero Fate lets it pass.
	Request(m Message) Fate
	Answer(m Message) Fate
	// Act is called every few milliseconds, and may do something to processes, connections and servers.
	Act(a Acts)
}

// Message is a request or an answer at a gate.
type Message struct {
	Client, Node string
	// Conn is the number of the connection.
	Conn int
	// What is the request, such as "SET lock". It is empty for one that only serves the connection.
	What string
	// Op is the client's operation under way, empty between two.
	Op model.OpKind
	// At is the time since the beginning of the round.
	At time.Duration
}

// Fate is what happens to a message.
type Fate struct {
	// Late is how long it is held. What comes after it on its connection is held as well.
	Late time.Duration
	// Lost is set if it is then lost: the connection is reset.
	Lost bool
}

// Acts is what Faults can do besides.
type Acts interface {
	// At is the time since the beginning of the round.
	At() time.Duration
	// Clients are the names of the clients.
	Clients() []string
	// Lease is the length of leases.
	Lease() time.Duration
	// Stop stops a client's process for a while, as SIGSTOP does, and Kill kills it for the rest of the round.
	Stop(client string, d time.Duration)
	Kill(client string)
	// Down resets a client's connections, and refuses new ones for a while, at least none for 0.
	Down(client string, d time.Duration)
	// CanFailOver reports whether FailOver can do something: it kills the serving node of the first server and lets its follower
	// serve, once in a round, or starts a node without a follower again. Replicate lets the follower catch up; it lags until the
	// next call.
	CanFailOver() bool
	Replicate()
	FailOver()
}

// None is without faults.
type None struct{}

// Request lets it pass.
func (None) Request(Message) Fate { return Fate{} }

// Answer lets it pass.
func (None) Answer(Message) Fate { return Fate{} }

// Act does nothing.
func (None) Act(Acts) {}
