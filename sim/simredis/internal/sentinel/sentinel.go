package sentinel

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// Sentinel is one of the processes.
type Sentinel[S Server[S]] struct {
	*server.Host
	// ID is its run id, unique among the sentinels.
	ID string

	group  *Group[S]
	number int // among the sentinels, from 0
	life   int // grows when it crashes: what it was about to do is not done

	epoch  int64       // the greatest that it has heard of
	config int64       // of the failover that promoted the master
	master *watched[S] // which it takes for the primary
	views  map[*watched[S]]*view
	odown  bool // the master is objectively down
	asks   bool // the others are asked about the master from time to time
	tilted bool
	since  time.Duration // when it was tilted last
	after  []func()      // what is to be done when it is not tilted any more
	tilts  int           // how often it has begun

	vote     vote[S]
	tried    time.Duration // when it, or another, began the last failover that it knows of; never if none
	again    bool          // it will look once more when it may try again
	answers  map[*Sentinel[S]]answer[S]
	failover *failover[S]                // that it leads, or tries to
	greets   map[*Sentinel[S]]bool       // whom it is about to send a hello message
	lanes    map[*sim.Actor]*server.Lane // to the others, and to servers
	relays   map[*sim.Actor]*server.Lane // from servers, of hello messages
}

// view is what a sentinel knows of a server.
type view struct {
	silent time.Duration // since when it has not been heard of; never if it is heard of
	down   bool          // for long enough to be taken for down
	since  time.Duration // since when it is taken for down, if it is
	wrong  time.Duration // since when it is not what it should be: a replica of the master; never if it is
}

const never = time.Duration(-1)

// Add adds a sentinel. Accept takes the connections of its clients.
func (g *Group[S]) Add(name, address, id string, accept func(*sim.ServerConn) sim.Handler) *Sentinel[S] {
	s := &Sentinel[S]{
		Host: server.NewHost(g.world, name, address, accept), ID: id, group: g, number: len(g.sentinels),
		master: g.servers[0], views: map[*watched[S]]*view{}, tried: never,
		answers: map[*Sentinel[S]]answer[S]{}, greets: map[*Sentinel[S]]bool{},
		lanes: map[*sim.Actor]*server.Lane{}, relays: map[*sim.Actor]*server.Lane{},
	}
	for _, w := range g.servers {
		s.views[w] = &view{silent: never, wrong: never}
	}
	g.sentinels = append(g.sentinels, s)
	return s
}

// Master returns the primary that it names to clients: the one that it has promoted, from the moment at
// which that has said that it is a primary.
func (s *Sentinel[S]) Master() S {
	if f := s.failover; f != nil && f.state >= reconfiguring {
		return f.selected.server
	}
	return s.master.server
}

// TakesForDown reports whether it takes a server for down.
func (s *Sentinel[S]) TakesForDown(x S) bool { return s.views[s.group.find(x)].down }

// Agreed reports whether it knows of a quorum that takes the server for down that it names to clients.
func (s *Sentinel[S]) Agreed() bool {
	return s.odown && (s.failover == nil || s.failover.state < reconfiguring)
}

// Tilted reports whether it acts on nothing now, and since when.
func (s *Sentinel[S]) Tilted() (since time.Duration, tilted bool) { return s.since, s.tilted }

// Epoch returns the greatest epoch that it has heard of.
func (s *Sentinel[S]) Epoch() int64 { return s.epoch }

// Others returns the other sentinels.
func (s *Sentinel[S]) Others() (list []*Sentinel[S]) {
	for _, o := range s.group.sentinels {
		if o != s {
			list = append(list, o)
		}
	}
	return list
}

// Replicas returns all servers but the one that it takes for the primary.
func (s *Sentinel[S]) Replicas() (list []S) {
	for _, w := range s.group.servers {
		if w != s.master {
			list = append(list, w.server)
		}
	}
	return list
}

// Hang stops it for d, as SIGSTOP does. After more than two seconds it acts on nothing for thirty,
// because it cannot trust what it has measured.
func (s *Sentinel[S]) Hang(d time.Duration) bool {
	long := d > 2*s.group.rules.Second
	return s.Host.Hang(d, func() {
		if long {
			s.tilt()
		}
		s.look()
		for _, f := range s.Held() {
			f()
		}
	})
}

// tilt makes it act on nothing for thirty seconds, counted from the last time.
func (s *Sentinel[S]) tilt() {
	s.tilts++
	s.since = s.group.world.Now()
	if !s.tilted {
		s.tilted = true
		s.event("+tilt", "#tilt mode entered")
	}
	last := s.tilts
	s.later(s.group.rules.tilt()+s.phase(), func() {
		if s.tilts != last {
			return
		}
		s.tilted = false
		s.event("-tilt", "#tilt mode exited")
		s.look()
		s.recall()
		todo := s.after
		s.after = nil
		for _, f := range todo {
			f()
		}
	})
}

// postponed reports whether it acts on nothing now, and then lets something be done later.
func (s *Sentinel[S]) postponed(f func()) bool {
	if s.tilted {
		s.after = append(s.after, f)
	}
	return s.tilted
}

// recall finds those down that have been silent for long enough meanwhile.
func (s *Sentinel[S]) recall() {
	for _, w := range s.group.servers {
		if v := s.views[w]; v.silent != never && s.group.world.Now()-v.silent > s.group.rules.DownAfter {
			s.findDown(w)
		}
	}
	if s.views[s.master].down {
		s.ask()
		s.check()
	}
}

// Crash ends its process: its connections are reset and dials are refused. Its epochs, its vote and
// its master are on its disk.
func (s *Sentinel[S]) Crash(observe func(model.Observation)) {
	if !s.Host.Crash(observe) {
		return
	}
	s.group.world.Network().Crash(s.Actor)
	s.life++
	_ = s.Held() // what it has not done is lost
	if f := s.failover; f != nil && f.state >= reconfiguring {
		s.master = f.selected
	}
	s.after, s.tried = nil, never
	s.odown, s.asks, s.again, s.tilted, s.failover = false, false, false, false, nil
	clear(s.answers)
	clear(s.greets)
	for _, w := range s.group.servers {
		*s.views[w] = view{silent: never, wrong: never}
	}
}

// Restart brings it back.
func (s *Sentinel[S]) Restart() {
	s.Start()
	s.group.Changed()
}

// look looks at all servers.
func (s *Sentinel[S]) look() {
	if s.Down() || s.Hangs() {
		return
	}
	for _, w := range s.group.servers {
		s.lookAt(w)
	}
}

// lookAt notes since when a server is silent, and plans what follows from that.
func (s *Sentinel[S]) lookAt(w *watched[S]) {
	v := s.views[w]
	switch heard := s.hears(w); {
	case !heard && v.silent == never:
		v.silent, v.wrong = s.group.world.Now(), never
		s.expectDown(w)
	case !heard:
	case v.silent != never && v.down && s.tilted: // it says so later
	case v.silent != never && v.down:
		*v = view{silent: never, wrong: never}
		s.event("-sdown", s.about(w))
		s.check()
	default:
		v.silent = never
	}
	s.suspect(w)
}

// hears reports whether a server answers its pings.
func (s *Sentinel[S]) hears(w *watched[S]) bool {
	return !w.Host.Down() && !w.Hangs() && s.reaches(w)
}

// reaches reports whether the network leads to the server.
func (s *Sentinel[S]) reaches(w *watched[S]) bool { return s.group.reach.Connected(s.Actor, w.Actor) }

// expectDown takes a server that stays silent for down, after a while. It is counted from the first
// ping without an answer: the next one, or that of the connection that is opened anew when the old
// one has broken.
func (s *Sentinel[S]) expectDown(w *watched[S]) {
	v, r := s.views[w], &s.group.rules
	since, unasked := v.silent, r.ping()
	if w.Host.Down() {
		unasked = r.tick()
	}
	s.later(r.DownAfter+s.jitter(unasked)+s.phase(), func() {
		if v.silent == since {
			s.findDown(w)
		}
	})
}

// findDown takes a server for down that has been silent for long enough.
func (s *Sentinel[S]) findDown(w *watched[S]) {
	v := s.views[w]
	if v.down || s.tilted {
		return
	}
	v.down, v.since = true, s.group.world.Now()
	s.event("+sdown", s.about(w))
	if w == s.master {
		s.ask()
		s.check()
	}
}

// later does something after a while, unless it has crashed meanwhile. While it hangs, that waits.
func (s *Sentinel[S]) later(d time.Duration, f func()) {
	life, w := s.life, s.group.world
	w.At(s.Actor, w.Now()+d, sim.EventWork, sim.EventOptions{}, func() {
		if s.life == life {
			s.Do(f)
		}
	})
}

// jitter returns a delay of up to three quarters of the given one, as the tape decides.
func (s *Sentinel[S]) jitter(most time.Duration) time.Duration {
	const steps = 4
	n := s.group.world.Choose(sim.Decision{Kind: Timer, Actor: s.Name(), Options: steps})
	return most * time.Duration(n) / steps
}

// phase returns when the sentinel's timer goes off within its period. The timers of two sentinels never go off
// together by themselves: Redis varies their periods for that.
func (s *Sentinel[S]) phase() time.Duration {
	return s.group.rules.tick() * time.Duration(1+s.number) / time.Duration(1+len(s.group.sentinels))
}

// event publishes an event.
func (s *Sentinel[S]) event(event, about string) {
	s.group.world.Log(sim.Event{Kind: sim.EventWork, Actor: s.Name(), Detail: event + " " + about})
	s.group.publish(s, event, about)
}

// about returns how events name a server.
func (s *Sentinel[S]) about(w *watched[S]) string {
	master := s.group.rules.Master + " " + spaced(s.master.Address())
	if w == s.master {
		return "master " + master
	}
	return "slave " + w.Address() + " " + spaced(w.Address()) + " @ " + master
}

// send sends a message to another host. It is lost if one of the two has crashed when it would
// arrive; one that hangs gets it later.
func (s *Sentinel[S]) send(to *server.Host, what string, receive func()) {
	l := s.lanes[to.Actor]
	if l == nil {
		l = server.NewLane(s.group.world, s.Actor, to.Actor)
		s.lanes[to.Actor] = l
	}
	life := s.life
	l.Send(what, func() bool { return s.life != life || to.Down() }, func() { to.Do(receive) })
}

// Config returns the epoch of the failover that has made its master the primary, 0 for that of the beginning.
func (s *Sentinel[S]) Config() int64 { return s.config }

// HearsOf reports whether another sentinel answers.
func (s *Sentinel[S]) HearsOf(o *Sentinel[S]) bool {
	return !o.Down() && !o.Hangs() && s.group.reach.Connected(s.Actor, o.Actor)
}

// VoteOf returns the last vote of another sentinel that it has heard of: the id of the leader, empty if there
// is none, and the epoch.
func (s *Sentinel[S]) VoteOf(o *Sentinel[S]) (leader string, epoch int64) {
	if v := s.answers[o].vote; v.leader != nil {
		return v.leader.ID, v.epoch
	}
	return "", 0
}
