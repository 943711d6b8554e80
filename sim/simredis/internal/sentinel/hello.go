package sentinel

import "github.com/lockpick-dev/lockpick/sim/server"

// Sentinels inform each other of a new primary by hello messages, which go through the servers: each
// publishes its own on all servers that it reaches, every two seconds and at once after a change.
// Here they are sent to those that do not know yet.

// spread plans the hello messages that the next two seconds bring.
func (g *Group[S]) spread() {
	for _, s := range g.sentinels {
		for _, o := range s.Others() {
			if o.config < s.config && !s.greets[o] && s.relay(o) != nil {
				s.greets[o] = true
				s.later(s.group.rules.tick()+s.jitter(s.group.rules.hello()), func() {
					s.greets[o] = false
					s.greet(o)
				})
			}
		}
	}
}

// relay returns a server by which a hello message reaches the other; nil if there is none.
func (s *Sentinel[S]) relay(o *Sentinel[S]) *watched[S] {
	if s.Down() || o.Down() {
		return nil
	}
	for _, w := range s.group.servers {
		if s.hears(w) && o.hears(w) {
			return w
		}
	}
	return nil
}

// greet sends a hello message to the other, if it knows less.
func (s *Sentinel[S]) greet(o *Sentinel[S]) {
	w := s.relay(o)
	if w == nil || o.config >= s.config {
		return
	}
	config, epoch, master := s.config, s.epoch, s.group.find(s.Master())
	s.send(w.Host, "hello", func() {
		o.lane(w.Host).Send("hello", func() bool { return w.Host.Down() || o.Down() }, func() {
			o.Do(func() { o.hear(s, epoch, config, master) })
		})
	})
}

// lane is that of the messages from a server to this sentinel, by which others reach it.
func (s *Sentinel[S]) lane(from *server.Host) *server.Lane {
	l := s.relays[from.Actor]
	if l == nil {
		l = server.NewLane(s.group.world, from.Actor, s.Actor)
		s.relays[from.Actor] = l
	}
	return l
}

// hear takes the master of another sentinel's hello message, if that is of a later epoch.
func (s *Sentinel[S]) hear(from *Sentinel[S], epoch, config int64, master *watched[S]) {
	s.hearOf(epoch)
	if config <= s.config {
		return
	}
	s.config = config
	if master != s.master {
		s.event("+config-update-from", "sentinel "+from.ID+" "+spaced(from.Address())+" @ "+s.group.rules.Master+" "+spaced(s.master.Address()))
		s.switchTo(master)
	}
}
