package simfile

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// held is a lock of a file.
type held struct {
	number  int64 // of its lease, in observations
	session int64
	owner   string
	name    string // of the file, when it was locked
	file    *file
	by      model.Origin
	// reclaimable is set after a restart until its client has reclaimed it.
	reclaimable bool
}

// LockKey returns the key of the record that shows who has the lock of a file. The name is that of the
// file when it is first locked, and file its number: two files that have the name one after the other have
// different locks.
func LockKey(name string, file int64) string { return fmt.Sprintf("%s%d", LockPrefix(name), file) }

// LockPrefix returns the prefix of the keys of all locks of files of a name.
func LockPrefix(name string) string { return "lock of " + name + " #" }

func (l *held) key() string { return LockKey(l.name, l.file.number) }

// lock locks a file for an owner of a session, and makes the file if needed. An owner that has the lock
// already gets it again.
func (s *Server) lock(k *session, name, owner string, by model.Origin) Answer {
	f := s.files[name]
	if f == nil {
		f = s.add(name, "", "", by)
	}
	if i := slices.IndexFunc(s.locks, func(l *held) bool { return l.file == f }); i >= 0 {
		if l := s.locks[i]; l.session != k.id || l.owner != owner || l.name != name {
			return Answer{Status: Denied}
		}
		return Answer{Status: OK}
	}
	s.numbered++
	l := &held{number: s.numbered, session: k.id, owner: owner, name: name, file: f, by: by}
	s.locks = append(s.locks, l)
	s.leases.Opened(l.number, by, s.Observe)
	s.observeLock(model.RecordCreated, l, by)
	return Answer{Status: OK}
}

// reclaim grants a lock again that its owner had before the server restarted.
func (s *Server) reclaim(k *session, name, owner string) Answer {
	l := s.heldBy(k, name, owner)
	if l == nil || !l.reclaimable {
		return Answer{Status: NoGrace}
	}
	l.reclaimable = false
	s.leases.Prolonged(l.number, s.clock.When(k.ends), s.Observe)
	if !slices.ContainsFunc(s.locks, func(l *held) bool { return l.reclaimable }) {
		s.grace = time.Time{}
		s.watchLeases()
	}
	return Answer{Status: OK}
}

func (s *Server) unlock(k *session, name, owner string, by model.Origin) Answer {
	l := s.heldBy(k, name, owner)
	if l == nil {
		return Answer{Status: NoLock}
	}
	s.drop(l, model.RecordDeleted, by)
	return Answer{Status: OK}
}

// heldBy returns the lock that an owner has of the file that has, or had, the name; nil if there is none.
func (s *Server) heldBy(k *session, name, owner string) *held {
	i := slices.IndexFunc(s.locks, func(l *held) bool { return l.session == k.id && l.name == name && l.owner == owner })
	if i < 0 {
		return nil
	}
	return s.locks[i]
}

// drop ends a lock, by a request or with its lease.
func (s *Server) drop(l *held, how model.ObservationKind, by model.Origin) {
	s.locks = slices.DeleteFunc(s.locks, func(o *held) bool { return o == l })
	s.observeLock(how, l, by)
	s.leases.Ended(l.number, how == model.RecordExpired, s.Observe)
	if !s.grace.IsZero() && !slices.ContainsFunc(s.locks, func(l *held) bool { return l.reclaimable }) {
		s.grace = time.Time{}
	}
}

// observeLock reports a change of a lock.
func (s *Server) observeLock(kind model.ObservationKind, l *held, by model.Origin) {
	o := model.Observation{Kind: kind, Key: l.key(), Value: l.owner, Owner: l.by, By: by, Session: fmt.Sprint(l.number), Revision: l.number}
	s.leases.Keep(&o, l.number)
	s.Observe(o)
}

// leaseEnds returns when the lease of a lock ends, 0 if the lock does not exist any
// more.
func (s *Server) leaseEnds(number int64) time.Duration {
	for _, l := range s.locks {
		if k := s.session(l.session); l.number == number && k != nil {
			return s.clock.When(k.ends)
		}
	}
	return 0
}

// renew renews the lease of a session, and the end of its locks except those to be
// reclaimed.
func (s *Server) renew(k *session) {
	k.ends = s.now().Add(s.options.Lease)
	for _, l := range s.locks {
		if l.session == k.id && !l.reclaimable {
			s.leases.Prolonged(l.number, s.clock.When(k.ends), s.Observe)
		}
	}
	s.watchLeases()
}

func (s *Server) cancelExpiry() {
	if s.expiry != nil {
		s.expiry()
		s.expiry = nil
	}
}

// watchLeases schedules the next end of a lease, or of the grace period.
func (s *Server) watchLeases() {
	s.cancelExpiry()
	next := s.grace
	for _, k := range s.sessions {
		if next.IsZero() || k.ends.Before(next) {
			next = k.ends
		}
	}
	if next.IsZero() || s.Down() {
		return
	}
	at := max(s.clock.When(next), s.world.Now())
	s.expiry = s.world.At(s.Actor, at, sim.EventWork, sim.EventOptions{}, func() {
		s.expiry = nil
		s.Do(s.expire)
	})
}

// expire ends leases that are over, with their locks, and the grace period, with the locks not
// reclaimed in it.
func (s *Server) expire() {
	now := s.now()
	over := func(l *held) bool {
		k := s.session(l.session)
		return !now.Before(k.ends) || l.reclaimable && !now.Before(s.grace)
	}
	for _, l := range slices.Clone(s.locks) {
		if over(l) {
			s.drop(l, model.RecordExpired, model.Origin{})
		}
	}
	s.sessions = slices.DeleteFunc(s.sessions, func(k *session) bool { return !now.Before(k.ends) })
	s.watchLeases()
}
