package simfile

import (
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/quorum"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// Options describe a file server.
type Options struct {
	// Lease is how long a client's lease lasts without a request of the client (default
	// 30 s).
	Lease time.Duration
	// Name is the server's name (default "file1"), and Address the address at which it
	// listens (default "10.0.1.1:2049"): a host:port with an IP literal.
	Name, Address string
}

// Server is a file server: an actor, a clock, files, the sessions of its clients and their locks. It
// has an Address. It can Hang for a while, Crash and Restart, and is Down meanwhile. Only the
// conductor may use it.
type Server struct {
	*server.Host
	options Options
	world   *sim.World
	clock   *sim.Timepiece
	observe func(model.Observation)

	// The contents of its disk.
	files    map[string]*file // by name
	sessions []*session       // in the order in which they were opened
	boot     int64
	numbered int64 // the number of sessions and locks so far

	// The contents of its memory.
	locks  []*held   // in the order in which they were granted
	grace  time.Time // the end of the grace period; zero if there is none
	expiry func()    // cancels the next end of a lease; nil if there is none
	leases *quorum.Sessions
	meter  func(request string) time.Duration // nil: requests take no time
}

// session is a client's session, with its lease and the answer to its last request.
type session struct {
	id     int64
	ends   time.Time // by the server's clock
	conn   int       // the number of the connection that it uses
	number int64     // of its last request
	answer Answer
}

// New adds a file server to the world. Every observation of it goes to observe.
func New(w *sim.World, o Options, observe func(model.Observation)) *Server {
	if o.Lease == 0 {
		o.Lease = 30 * time.Second
	}
	if o.Name == "" {
		o.Name = "file1"
	}
	if o.Address == "" {
		o.Address = "10.0.1.1:2049"
	}
	s := &Server{options: o, world: w, observe: observe, files: map[string]*file{}, boot: 1}
	s.Host = server.NewHost(w, o.Name, o.Address, func(c *sim.ServerConn) sim.Handler { return &conn{server: s, sock: c} })
	s.clock = w.NewTimepiece(0, 0)
	s.leases = quorum.NewSessions(o.Name, "lease", func(id int64) string { return strconv.FormatInt(id, 10) }, s.leaseEnds)
	return s
}

// Meter makes the server serve one request at a time. Time is called once for each request,
// with its operation, and returns how long it takes.
func (s *Server) Meter(time func(request string) time.Duration) { s.meter = time }

func (s *Server) now() time.Time { return s.clock.At(s.world.Now()) }

// Observe adds an observation of the server, which is its own authority.
func (s *Server) Observe(o model.Observation) {
	o = s.Logged(o)
	o.Authority = o.Node
	s.observe(o)
}

// Hang stops the server for d. It reports whether it did.
func (s *Server) Hang(d time.Duration) bool {
	return s.Host.Hang(d, func() {
		for _, f := range s.Held() {
			f()
		}
	})
}

// Jump moves the server's clock, by which leases end.
func (s *Server) Jump(by time.Duration) {
	s.clock.Jump(by)
	s.world.Strike(s.Actor, sim.Fault{Kind: sim.FaultJump, By: by})
	s.watchLeases()
}

// Crash ends the server's process. Its disk is kept.
func (s *Server) Crash() {
	if !s.Host.Crash(s.Observe) {
		return
	}
	s.Held()
	s.cancelExpiry()
	s.world.Network().Crash(s.Actor)
}

// Restart restarts a crashed server. Leases begin again. If there were locks, a grace period of the
// length of a lease begins, in which they can be reclaimed.
func (s *Server) Restart() {
	s.Start()
	s.boot++
	s.Observe(model.Observation{Kind: model.Returned})
	end := s.now().Add(s.options.Lease)
	for _, k := range s.sessions {
		k.ends = end
	}
	for _, l := range s.locks {
		l.reclaimable = true
	}
	s.grace = time.Time{}
	if len(s.locks) > 0 {
		s.grace = end
	}
	s.watchLeases()
}

// session returns the session with a number, nil if there is none, or its lease has expired.
func (s *Server) session(id int64) *session {
	i := slices.IndexFunc(s.sessions, func(k *session) bool { return k.id == id })
	if i < 0 {
		return nil
	}
	return s.sessions[i]
}
