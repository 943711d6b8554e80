package redislocks

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A server is one of the servers of a [Redlock], with its queue of requests. It gets
// one request at a time, in order. So a request to give the lock back does not overtake
// the one that takes it, as long as the client waits for that; and a server that hangs
// occupies one request and one connection, however many requests are queued meanwhile.
type server struct {
	client RedlockNode
	mu     sync.Mutex
	queue  []*request
	asking bool // the last request is not answered yet
}

// A question sends a request to one of the servers, and returns whether the server did
// it.
type question func(context.Context, RedlockNode) (bool, error)

// A request is a question to one server. It is not sent if its ballot is over.
type request struct {
	ctx      context.Context // with the caller's values, and without end
	over     <-chan struct{}
	question question
	server   int
	limit    time.Duration // for the answer, once it was sent
	votes    chan<- vote   // has room for it
	turn     chan struct{} // closed when it may be sent, or its ballot is over
	sent     bool          // guarded by the server's mutex
}

// A vote is the answer of a server.
type vote struct {
	server int
	yes    bool
	err    error
}

// A ballot is one question to all servers at once, with their answers as they arrive.
type ballot struct {
	requests []*request // by server
	votes    chan vote
	over     chan struct{}
	stop     func() // ends the ballot; what was sent goes on
}

func (l *Redlock) newBallot() *ballot {
	b := &ballot{votes: make(chan vote, len(l.servers)), over: make(chan struct{})}
	b.stop = sync.OnceFunc(func() { close(b.over) })
	return b
}

// ask puts a question to all servers. The requests go on when ctx is done, for up to
// limit each.
func (l *Redlock) ask(ctx context.Context, limit time.Duration, q question) *ballot {
	b := l.newBallot()
	for i, s := range l.servers {
		r := &request{ctx: context.WithoutCancel(ctx), over: b.over, question: q, server: i, limit: limit, votes: b.votes}
		b.requests = append(b.requests, r)
		s.add(r, l.start)
	}
	return b
}

// undo ends another ballot, and puts a question to the servers that it has reached. The
// others count as a no.
func (l *Redlock) undo(ctx context.Context, limit time.Duration, earlier *ballot, q question) *ballot {
	earlier.stop()
	b := l.newBallot()
	for i, s := range l.servers {
		if !s.reached(earlier.requests[i]) {
			b.votes <- vote{server: i}
			continue
		}
		s.add(&request{ctx: context.WithoutCancel(ctx), over: b.over, question: q, server: i, limit: limit, votes: b.votes}, l.start)
	}
	return b
}

// start runs f in a goroutine that Close waits for; after Close nobody waits for
// it.
func (l *Redlock) start(f func()) {
	l.closing.Lock()
	defer l.closing.Unlock()
	if l.ctx.Err() != nil {
		go f()
		return
	}
	l.running.Go(f)
}

// add puts a request at the end of the queue. Each request is sent in a goroutine
// started by its caller, so that code that distinguishes goroutines by their starters,
// such as the labels of a profile, attributes it to that caller.
func (s *server) add(r *request, start func(func())) {
	r.turn = make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, r)
	if !s.asking {
		s.next()
	}
	start(func() { s.put(r) })
}

// reached reports whether a request of a ballot that is over was sent.
func (s *server) reached(r *request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return r.sent
}

// put waits for a request's turn, and asks the server unless the ballot is over by then.
func (s *server) put(r *request) {
	<-r.turn
	if !r.sent {
		return
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.limit)
	yes, err := r.question(ctx, s.client)
	cancel()
	r.votes <- vote{r.server, yes, err}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next()
}

// next gives the next request in the queue its turn; requests whose ballot is over get
// theirs without being sent. The caller holds the mutex.
func (s *server) next() {
	s.asking = false
	for len(s.queue) > 0 && !s.asking {
		r := s.queue[0]
		s.queue = s.queue[1:]
		select {
		case <-r.over:
		default:
			r.sent, s.asking = true, true
		}
		close(r.turn)
	}
}

// wait counts until a majority has given the same answer, all have answered, ctx is
// done, or patience is over. With all it gives the others as much time again as a
// majority took, so that usually more than a majority have the lock.
func (b *ballot) wait(ctx context.Context, l *Redlock, patience time.Duration, all bool) *count {
	clock := l.options.Clock
	start := clock.Now()
	timer := clock.NewTimer(patience)
	defer func() { timer.Stop() }()
	got := &count{errs: make([]error, len(l.servers))}
	for decided := false; got.answers() < len(l.servers); {
		select {
		case v := <-b.votes:
			got.add(v)
		case <-timer.Chan():
			return got
		case <-ctx.Done():
			return got
		}
		switch {
		case decided || got.yes < l.quorum && got.no <= len(l.servers)-l.quorum:
		case !all:
			return got
		default:
			decided = true
			timer.Stop()
			took := clock.Since(start)
			timer = clock.NewTimer(max(min(took, patience-took), 0))
		}
	}
	return got
}

// A count counts the answers of the servers.
type count struct {
	yes, no, failed int
	errs            []error // by server
}

func (c *count) answers() int { return c.yes + c.no + c.failed }

func (c *count) add(v vote) {
	switch {
	case v.err != nil:
		c.failed++
		c.errs[v.server] = v.err
	case v.yes:
		c.yes++
	default:
		c.no++
	}
}

var errSilent = errors.New("the other servers have not answered in time")

// why returns why there was no majority.
func (c *count) why(ctx context.Context) error {
	if err := errors.Join(c.errs...); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errSilent
}
