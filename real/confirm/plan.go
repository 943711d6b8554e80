package confirm

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// stepKind is the kind of a step.
type stepKind string

const (
	call       stepKind = "call"      // a client calls the lock, or begins an access
	returned   stepKind = "return"    // and returns, as in the trace
	executes   stepKind = "execute"   // a request reaches its node
	sends      stepKind = "send"      // a client has sent a request, before it stops
	takes      stepKind = "effect"    // and takes effect
	answers    stepKind = "answer"    // its answer reaches the client
	loses      stepKind = "lose"      // its answer is lost, with the connection
	hears      stepKind = "hear"      // a client gets a message that it has not asked for
	misses     stepKind = "miss"      // or loses it, with the connection
	accesses   stepKind = "access"    // the protected resource is read or written
	pauses     stepKind = "pause"     // of a client's process
	resumes    stepKind = "resume"    //
	cancels    stepKind = "cancel"    // the context of a call ends
	dies       stepKind = "die"       // a client's process
	shifts     stepKind = "shift"     // of a client's clock
	kills      stepKind = "kill"      // of a node
	restarts   stepKind = "restart"   //
	follows    stepKind = "follow"    // a node becomes a follower
	hangs      stepKind = "hang"      // of a node
	wakes      stepKind = "wake"      //
	parts      stepKind = "part"      // the network
	unites     stepKind = "unite"     //
	jumps      stepKind = "jump"      // of a node's clock
	promotes   stepKind = "promote"   //
	replicates stepKind = "replicate" // a node's followers get what it has
	expires    stepKind = "expire"    // a record ends by itself
	notes      stepKind = "note"      // something is held back from now on
)

// step is one thing that must happen, in the order of a trace.
type step struct {
	kind stepKind
	// seq and at are its place in the trace. It does not happen before that time.
	seq int64
	at  time.Duration
	// sent is when a request left its client.
	sent time.Duration
	// client and node are the actors, op the trace's operation, nil if unknown, and request the signature of the executed
	// request.
	client, node, request string
	op                    *model.Operation
	// asks is the call of an object that is no mutex, nil for a mutex.
	asks *model.Call
	// late is set on a request whose client may have hung up, and idle on one that has no effect.
	late, idle bool
	// vanishes is set on a request that is lost with its member, and fails on one that its member loses on the way to others.
	vanishes, fails bool
	// refused is set on a request that must be made in another form, and is late, or whose answer is late or lost.
	refused bool
	// keeps is what a node that dies has when it comes back.
	keeps kept
	// id is the number of an executed request, from 1, and of the number of the request whose effect or answer this is.
	id, of int
	// out is set on a step that is left out.
	out bool
	// seen is the trace's observation.
	seen *model.Observation
}

func (s *step) String() string {
	switch s.kind {
	case call, returned, cancels:
		return fmt.Sprintf("the %s of %s's %s (%s)", s.kind, s.client, s.op.Kind, s.op.Result)
	case sends:
		return fmt.Sprintf("%s sends %s to %s", s.client, s.request, s.node)
	case takes:
		return fmt.Sprintf("%s of %s takes effect on %s", s.request, s.client, s.node)
	case executes:
		return fmt.Sprintf("%s executes %s of %s", s.node, s.request, s.client)
	case answers, loses:
		return fmt.Sprintf("%s %ss the answer to %s", s.client, map[stepKind]string{answers: "get", loses: "lose"}[s.kind], s.request)
	case hears, misses:
		return fmt.Sprintf("%s %s %s", s.client, map[stepKind]string{hears: "hears", misses: "does not hear"}[s.kind], s.request)
	case accesses:
		return fmt.Sprintf("%s: %s", s.client, s.seen.Kind)
	case expires:
		return fmt.Sprintf("%s expires on %s", s.seen.Key, s.node)
	}
	return fmt.Sprintf("%s%s: %s", s.client, s.node, s.kind)
}

// passing is a request of the trace without an effect: it may pass between two steps.
type passing struct {
	client, node, request string
	step                  int // the later one
}

// plan is the order of a trace, up to its violation.
type plan struct {
	facts    realclient.Facts
	steps    []step
	passing  []passing
	beyond   []step // requests that the trace holds for longer than the run lasts
	clients  []string
	nodes    []string
	byServer [][]string // the nodes of each independent server; the first one serves first
	jumping  bool       // the clock of a node jumps
	// lasts is the minimum duration of the run.
	lasts time.Duration
	// off are the initial errors of the clients' clocks, by client.
	off map[string]*model.Observation
	// left describes what is left out: it cannot be forced and the violation does not need it.
	left []string
	// ending is set if it ends with the end of a call's context.
	ending bool
	// ensemble is set if all nodes are members of one; authority is its name.
	ensemble  Ensemble
	authority string
	// executor has the node to which another one passes requests on, by that one.
	executor map[string]string
	// failing is set if a member fails, or is cut off from others.
	failing bool
}

// ForceError is why a trace's order cannot be forced on real servers.
type ForceError struct{ Reason string }

func (e *ForceError) Error() string { return "cannot be forced: " + e.Reason }

func cannot(format string, args ...any) error { return &ForceError{fmt.Sprintf(format, args...)} }

// plan reads the order from the trace.
func (c Confirmation) plan() (*plan, error) {
	t, store := c.Trace, c.Store
	v := t.Verdict()
	if v == nil || v.Status != model.Violated {
		return nil, cannot("the trace was kept for no violation")
	}
	p := &plan{facts: c.Subject.Facts(), off: map[string]*model.Observation{}}
	for i := range t.Actors {
		switch a := &t.Actors[i]; a.Kind {
		case traces.ClientActor:
			p.clients = append(p.clients, a.Name)
		case traces.NodeActor:
			p.add(a)
		}
	}
	if err := p.checkActors(); err != nil {
		return nil, err
	}
	p.ensemble, p.authority = together(store)
	p.setExecutors(store)
	until, err := c.Subject.Extent(t)
	if err != nil {
		return nil, err
	}
	p.lasts = until.At
	r := &reading{plan: p, trace: t, store: store, until: until.Seq, dead: map[string]bool{}}
	if err := r.topology(p.facts.Deployed); err != nil {
		return nil, err
	}
	r.converse()
	r.operations()
	if err := r.observations(); err != nil {
		return nil, err
	}
	r.requests()
	r.order()
	return p, p.check()
}

// add adds a node. The nodes of a server follow each other.
func (p *plan) add(node *traces.Actor) {
	p.nodes = append(p.nodes, node.Name)
	if n := len(p.byServer); n == 0 || node.Server > n {
		p.byServer = append(p.byServer, nil)
	}
	last := &p.byServer[len(p.byServer)-1]
	*last = append(*last, node.Name)
}

// serverOf returns the number of a node's independent server, from 0.
func (p *plan) serverOf(node string) int {
	return slices.IndexFunc(p.byServer, func(nodes []string) bool { return slices.Contains(nodes, node) })
}
