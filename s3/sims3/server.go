package sims3

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
	"github.com/lockpick-dev/lockpick/sim/simhttp"
)

// Options describe the service.
type Options struct {
	// Name is the name of its server (default "s3"), and Address the address at which it listens (default
	// "10.0.1.1:443"): a host:port with an IP literal.
	Name, Address string
	// Bucket is the name of its only bucket (default "bucket").
	Bucket string
}

// Server is the service: an actor, a clock and a bucket. It has an Address. It can Hang for a while, Crash and
// Restart, and is Down meanwhile. Only the conductor may use it.
type Server struct {
	*server.Host
	bucket  string
	world   *sim.World
	clock   *sim.Timepiece
	observe func(model.Observation)
	meter   func(operation string) time.Duration // nil: requests take no time

	objects  map[string]*object       // by key
	created  int64                    // the number of objects so far
	deleted  map[string]time.Duration // when an object with the key was deleted last
	requests int64                    // the number of requests so far
	failing  map[int]Failure          // what becomes of the next request, by the number of its connection
}

// New adds the service to the world. Every observation of it goes to observe.
func New(w *sim.World, o Options, observe func(model.Observation)) *Server {
	if o.Name == "" {
		o.Name = "s3"
	}
	if o.Address == "" {
		o.Address = "10.0.1.1:443"
	}
	if o.Bucket == "" {
		o.Bucket = "bucket"
	}
	s := &Server{
		bucket: o.Bucket, world: w, clock: w.NewTimepiece(0, 0), observe: observe,
		objects: map[string]*object{}, deleted: map[string]time.Duration{}, failing: map[int]Failure{},
	}
	s.Host = server.NewHost(w, o.Name, o.Address, func(c *sim.ServerConn) sim.Handler {
		return simhttp.Serve(c, s.Do, func(x *simhttp.Exchange) { s.handle(x, c.ID()) })
	})
	return s
}

// Meter makes the server serve one request at a time. Time is called once for each request, with its
// operation, such as PutObject, and returns how long it takes.
func (s *Server) Meter(time func(operation string) time.Duration) { s.meter = time }

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

// Jump moves the service's clock, which dates objects and answers, and by which requests are refused whose
// own date is another.
func (s *Server) Jump(by time.Duration) {
	s.clock.Jump(by)
	s.world.Strike(s.Actor, sim.Fault{Kind: sim.FaultJump, By: by})
}

// Crash ends the server's process, and its connections. All objects are kept.
func (s *Server) Crash() {
	if !s.Host.Crash(s.Observe) {
		return
	}
	s.Held()
	s.world.Network().Crash(s.Actor)
}

// Restart restarts a crashed server.
func (s *Server) Restart() {
	s.Start()
	s.Observe(model.Observation{Kind: model.Returned})
}
