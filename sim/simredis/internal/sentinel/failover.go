package sentinel

import (
	"slices"
	"time"
)

// failover is an attempt of a sentinel to replace the master.
type failover[S Server[S]] struct {
	epoch    int64
	state    state
	selected *watched[S]              // the replica that is to be the primary
	progress map[*watched[S]]progress // of the other replicas
}

// state is how far a failover is.
type state int

const (
	waiting       state = iota // for votes
	selecting                  // a replica
	promoting                  // it has been promoted, or is about to be
	reconfiguring              // it is a primary, and the other replicas get their orders
)

// progress is how far another replica is on its way to the new primary.
type progress int

const (
	unsent progress = iota
	sent
	loading
	done
)

// start begins a failover in a new epoch. By order of an operator it needs no votes.
func (s *Sentinel[S]) start(ordered bool) {
	f := &failover[S]{epoch: s.epoch + 1, progress: map[*watched[S]]progress{}}
	s.failover = f
	s.hearOf(f.epoch)
	s.event("+try-failover", s.about(s.master))
	s.tried = s.group.world.Now() + s.jitter(s.group.rules.Second)
	s.voteFor(s, f.epoch)
	if ordered {
		s.lead()
		return
	}
	s.askAll()
	s.within(f, waiting, min(10*s.group.rules.Second, s.group.rules.FailoverTimeout), "-failover-abort-not-elected")
	s.tally()
}

// Failover begins a failover by order of an operator (SENTINEL FAILOVER). It returns the error that
// Redis answers if one is under way, or there is no replica for it.
func (s *Sentinel[S]) Failover() (refused string) {
	switch {
	case s.failover != nil:
		return "INPROG Failover already in progress"
	case s.candidate() == nil:
		return "NOGOODSLAVE No suitable replica to promote"
	}
	s.start(true)
	return ""
}

// within ends a failover that is still in a state after a while.
func (s *Sentinel[S]) within(f *failover[S], in state, d time.Duration, event string) {
	s.later(d, func() {
		if s.failover == f && f.state == in && !s.postponed(func() { s.within(f, in, 0, event) }) {
			s.abort(event)
		}
	})
}

func (s *Sentinel[S]) abort(event string) {
	s.event(event, s.about(s.master))
	s.failover = nil
	s.check()
}

// lead goes on with a failover that has the votes, or was ordered.
func (s *Sentinel[S]) lead() {
	f := s.failover
	f.state = selecting
	s.event("+elected-leader", s.about(s.master))
	s.event("+failover-state-select-slave", s.about(s.master))
	s.later(s.group.rules.tick()/2+s.jitter(s.group.rules.tick()), func() { s.choose(f) })
}

// choose chooses the replica, and promotes it a moment later.
func (s *Sentinel[S]) choose(f *failover[S]) {
	if s.failover != f || s.postponed(func() { s.choose(f) }) {
		return
	}
	if f.selected = s.candidate(); f.selected == nil {
		s.abort("-failover-abort-no-good-slave")
		return
	}
	s.event("+selected-slave", s.about(f.selected))
	s.event("+failover-state-send-slaveof-noone", s.about(f.selected))
	f.state = promoting
	s.within(f, promoting, s.group.rules.FailoverTimeout, "-failover-abort-slave-timeout")
	s.later(s.group.rules.tick()/2+s.jitter(s.group.rules.tick()), func() { s.promote(f) })
}

// candidate returns the replica to promote: of those that are not down, that have been heard of within
// five seconds, whose link to the master has not been down for long, and that may be promoted at all; nil if
// there is none.
func (s *Sentinel[S]) candidate() *watched[S] {
	var list []*watched[S]
	for _, w := range s.group.servers {
		v := s.views[w]
		lost := v.down || w.Host.Down() || v.silent != never && s.group.world.Now()-v.silent >= 5*s.group.rules.Second
		if w != s.master && !lost && w.server.Unlinked() <= s.linkAge() && w.server.Priority() > 0 {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return slices.MinFunc(list, better[S])
}

// linkAge is for how long the link of a replica that is promoted may have been down: ten times the time
// after which a server is taken for down, and as long as the master has been down besides.
func (s *Sentinel[S]) linkAge() time.Duration {
	age := 10 * s.group.rules.DownAfter
	if v := s.views[s.master]; v.down {
		age += s.group.world.Now() - v.since
	}
	return age
}

// promote orders the replica to be a primary, and looks each second whether it is one.
func (s *Sentinel[S]) promote(f *failover[S]) {
	if s.failover != f || f.state != promoting || s.postponed(func() { s.promote(f) }) {
		return
	}
	if !s.hears(f.selected) {
		s.later(s.group.rules.tick(), func() { s.promote(f) })
		return
	}
	w := f.selected
	s.event("+failover-state-wait-promotion", s.about(w))
	s.send(w.Host, "SLAVEOF NO ONE", func() {
		w.server.Elect(f.epoch)
		s.group.Changed()
	})
	s.later(s.poll(), func() { s.awaitPromotion(f) })
}

// poll returns when the next INFO of a replica comes during a failover: within a second.
func (s *Sentinel[S]) poll() time.Duration {
	return s.group.rules.Second/4 + s.jitter(s.group.rules.Second)
}

// awaitPromotion looks whether the replica is a primary.
func (s *Sentinel[S]) awaitPromotion(f *failover[S]) {
	switch {
	case s.failover != f || f.state != promoting || s.postponed(func() { s.awaitPromotion(f) }):
		return
	case !s.hears(f.selected) || !f.selected.server.IsPrimary():
		s.later(s.group.rules.Second, func() { s.awaitPromotion(f) })
		return
	}
	s.event("+promoted-slave", s.about(f.selected))
	f.state, s.config = reconfiguring, f.epoch
	s.event("+failover-state-reconf-slaves", s.about(s.master))
	for _, o := range s.Others() {
		s.greet(o)
	}
	s.later(s.group.rules.FailoverTimeout, func() { s.endLate(f) })
	s.reconfigure(f)
}

// endLate ends a failover whose time is over, once the promoted replica is up.
func (s *Sentinel[S]) endLate(f *failover[S]) {
	switch {
	case s.failover != f || s.postponed(func() { s.endLate(f) }):
	case s.views[f.selected].down:
		s.later(s.group.rules.Second, func() { s.endLate(f) })
	default:
		s.event("+failover-end-for-timeout", s.about(s.master))
		s.event("+failover-end", s.about(s.master))
		s.reconfigureRest(f)
		s.end(f)
	}
}

// reconfigure lets the other replicas follow the new primary, one at a time, and ends the failover
// when all that are up have its data.
func (s *Sentinel[S]) reconfigure(f *failover[S]) {
	if s.failover != f || s.postponed(func() { s.reconfigure(f) }) {
		return
	}
	busy, left := 0, 0
	for _, w := range s.group.servers {
		if w == s.master || w == f.selected || s.views[w].down {
			continue
		}
		s.follow(f, w, &busy)
		if f.progress[w] != done {
			left++
		}
	}
	if left == 0 && !s.views[f.selected].down {
		s.event("+failover-end", s.about(s.master))
		s.end(f)
		return
	}
	s.later(s.poll(), func() { s.reconfigure(f) })
}

// follow takes one replica a step further; busy counts those that are on their way.
func (s *Sentinel[S]) follow(f *failover[S], w *watched[S], busy *int) {
	if f.progress[w] == unsent && *busy < parallel && s.hears(w) {
		f.progress[w] = sent
		s.event("+slave-reconf-sent", s.about(w))
		s.order(w, f.selected)
		*busy++
		return
	}
	if f.progress[w] == sent && w.server.Source() == f.selected.server {
		f.progress[w] = loading
		s.event("+slave-reconf-inprog", s.about(w))
	}
	if f.progress[w] == loading && !w.server.Copying() {
		f.progress[w] = done
		s.event("+slave-reconf-done", s.about(w))
	}
	if p := f.progress[w]; p == sent || p == loading {
		*busy++
	}
}

// reconfigureRest sends the order to the remaining replicas, without waiting for them.
func (s *Sentinel[S]) reconfigureRest(f *failover[S]) {
	for _, w := range s.group.servers {
		if w != s.master && w != f.selected && f.progress[w] == unsent && s.hears(w) {
			s.event("+slave-reconf-sent-be", s.about(w))
			s.order(w, f.selected)
		}
	}
}

// order orders a server to follow another.
func (s *Sentinel[S]) order(w, source *watched[S]) {
	s.send(w.Host, "SLAVEOF "+spaced(source.Address()), func() {
		w.server.Follow(source.server)
		s.group.Changed()
	})
}

// end publishes the new primary.
func (s *Sentinel[S]) end(f *failover[S]) { s.switchTo(f.selected) }

// switchTo takes another server for the primary from now on.
func (s *Sentinel[S]) switchTo(w *watched[S]) {
	old := s.master
	s.event("+switch-master", s.group.rules.Master+" "+spaced(old.Address())+" "+spaced(w.Address()))
	s.master, s.failover, s.odown, s.tried = w, nil, false, never
	clear(s.answers)
	for _, x := range s.group.servers {
		*s.views[x] = view{silent: never, wrong: never}
	}
	s.group.Changed()
}
