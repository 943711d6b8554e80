package sim

import "fmt"

// Kind is the subject of a decision.
type Kind string

// The kernel's own kinds of decisions. Fault injectors add theirs, each
// named "fault:" and what strikes.
const (
	// Order: among the events due in the same window, which goes first.
	// Option i is the i-th in the order of the actors that they happen to, then
	// of those that they come from, then of scheduling.
	Order Kind = "order"
	// Latency: how much of a link's jitter a segment gets on top of the base
	// latency. Jitter is fine-grained, and far shorter than any timeout.
	Latency Kind = "latency"
	// Delay: whether a segment is prompt, or so late that it matters to a read
	// timeout or a TTL. The options are the link's delay classes, after option 0,
	// which is prompt.
	Delay Kind = "delay"
	// Unread: whether data that has arrived but is unread at a reset of its
	// connection is lost, or can be read before the reset shows.
	Unread Kind = "fault:unread"
	// ReadFirst: whether a goroutine that reads from a connection which ended during a
	// pause goes on before one that waits to write to it: see [Conn.WritesFreely].
	ReadFirst Kind = "fault:read-first"
	// Seed: the seed of a process's private random streams.
	Seed Kind = "seed"
)

// A Decision is a question that a run asks its tape, at a place where the run could
// go on differently.
//
// Kind, Actor and Occurrence are its identity. They do not depend on what
// other actors do, so a recorded choice still finds its place after small
// changes elsewhere.
type Decision struct {
	Kind  Kind
	Actor string
	// Occurrence counts the decisions of this kind and actor, from 0.
	Occurrence int
	// Options is the number of ways to go on, at least 2. Option 0 is the calm one:
	// the first event of the window, the base latency, no fault.
	Options int
	// Odds tells a random tape how rare a deviation from calm should be: it leaves
	// option 0 about once in Odds times, then picks evenly among the others. Zero
	// means that all options are equally likely. A fault's decision with zero Odds
	// decides how a fault that has struck goes on.
	Odds int
	// Site is the place in the protocol: decisions of the same site are alike in
	// all runs. It is no part of the identity, and the tape need not look at it.
	Site Site
	// Turn numbers the task of the site's process among its tasks of that name,
	// from 1; 0 if it has had none.
	Turn int
	// Candidates are the events that an [Order] decision chooses from, one for each
	// option; or the segment of a [Latency] decision; or the possible targets of a
	// fault, if it names them, one for each option but the calm one. They are valid
	// until the tape has answered.
	Candidates []Candidate
}

// Candidate is an event that may go first, or something that a fault may
// strike.
type Candidate struct {
	// Serial names the event within its run. It is 0 if the candidate is no event.
	Serial int64
	// To is the number of the target actor, and From that of the sender. For a
	// connection From is the actor that dialed.
	To, From int
}

// ID is the decision's identity as text, such as "delay/c1#17".
func (d Decision) ID() string { return fmt.Sprintf("%s/%s#%d", d.Kind, d.Actor, d.Occurrence) }

// A Tape answers decisions. It is asked from one goroutine, in the order of
// the run, and must answer 0 <= option < d.Options. Nothing else may depend
// on the wall clock, the scheduler or a global random source.
type Tape interface {
	Choose(d Decision) int
}

// A Choice is a decision and the option that was taken.
type Choice struct {
	Kind       Kind   `json:"kind"`
	Actor      string `json:"actor"`
	Occurrence int    `json:"n"`
	Options    int    `json:"of"`
	Option     int    `json:"option"`
	// After is the number of the last event before it was asked. It tells
	// people where in the run the choice was made.
	After int64 `json:"after,omitempty"`
	// Shows is the number of the event that shows that the choice was not the calm
	// one: the fault that struck, the arrival of the slow or late segment, the
	// event that went first. It is 0 if no event does.
	Shows int64 `json:"shows,omitempty"`
}

// ID is the identity of the decision that was answered.
func (c Choice) ID() string {
	return Decision{Kind: c.Kind, Actor: c.Actor, Occurrence: c.Occurrence}.ID()
}

// Calm is the tape that always takes option 0.
type Calm struct{}

// Choose returns 0.
func (Calm) Choose(Decision) int { return 0 }
