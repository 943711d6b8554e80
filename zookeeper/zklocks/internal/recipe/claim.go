package recipe

import (
	"slices"
	"time"

	"github.com/go-zookeeper/zk"
)

// A claim is an acquisition's claim that its session, and so its node, is alive.
type claim struct {
	owner   int64         // the ID of the session
	untimed bool          // ends with the connection, and not by the clock
	lost    chan struct{} // closed when it is lost

	// With the session's mutex:
	until time.Time // its end; of an untimed one: zero
}

// validity returns how long a claim is valid after a request that the leader answered, and
// interval how long after it the next one is due. See [Session].
func (s *Session) validity() time.Duration { return s.timeout / 2 }
func (s *Session) interval() time.Duration { return s.timeout / 4 }

// claim makes a claim if the session is still the given one and the leader has
// confirmed it lately. Otherwise it returns nil; a sync can renew the confirmation.
func (s *Session) claim(owner int64) *claim {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	if s.heard.id != owner || s.conn.SessionID() != owner || !now.Before(s.heard.at.Add(s.interval())) {
		return nil
	}
	return s.made(&claim{owner: owner, until: s.heard.at.Add(s.validity())})
}

// claimUntimed makes a claim that lasts as long as the connection. It returns nil if
// there is none.
func (s *Session) claimUntimed(owner int64) *claim {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn.SessionID() != owner || s.conn.State() != zk.StateHasSession {
		return nil
	}
	return s.made(&claim{owner: owner, untimed: true})
}

func (s *Session) made(c *claim) *claim {
	c.lost = make(chan struct{})
	s.claims = append(s.claims, c)
	s.wind()
	return c
}

// unclaim gives up a claim, and reports whether it had been lost.
func (s *Session) unclaim(c *claim) (lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(s.over)
	at := slices.Index(s.claims, c)
	if at >= 0 {
		s.claims = slices.Delete(s.claims, at, at+1)
	}
	s.wind()
	return at < 0
}

// until returns the end of a claim, as known now.
func (s *Session) until(c *claim) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.until
}

// ended reports whether a claim has ended, even if that was not noted yet.
func (s *Session) ended(c *claim) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over(c)
}

// over reports whether a claim has ended. The caller holds the mutex.
func (s *Session) over(c *claim) bool {
	return s.conn.SessionID() != c.owner || !c.untimed && !s.clock.Now().Before(c.until)
}

// drop ends the claims that are lost. The caller holds the mutex.
func (s *Session) drop(lost func(*claim) bool) {
	s.claims = slices.DeleteFunc(s.claims, func(c *claim) bool {
		if !lost(c) {
			return false
		}
		if now := s.clock.Now(); now.Before(c.until) {
			c.until = now
		}
		close(c.lost)
		return true
	})
}

// confirm notes that the leader has answered. Claims that had ended before are lost
// nevertheless.
func (s *Session) confirm(h heard) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(s.over)
	s.heard = h
	for _, c := range s.claims {
		if !c.untimed && c.owner == h.id {
			c.until = h.at.Add(s.validity())
		}
	}
	if !s.asking { // otherwise keep sets the alarm, when it has its answer
		s.wind()
	}
}

// wind sets the alarm for the next question to the leader, or the next end of a claim.
// The caller holds the mutex.
func (s *Session) wind() {
	if s.alarm != nil {
		s.alarm.Stop()
		s.alarm = nil
	}
	end, timed := s.nextEnd()
	if !timed {
		return
	}
	next := end
	if !s.asking {
		if next = s.heard.at.Add(s.interval()); next.Before(s.askAgain) {
			next = s.askAgain
		}
		if end.Before(next) {
			next = end
		}
	}
	s.alarm = s.clock.AfterFunc(next.Sub(s.clock.Now()), s.ring)
}

// nextEnd returns the first end of a claim that has one.
func (s *Session) nextEnd() (end time.Time, timed bool) {
	for _, c := range s.claims {
		if !c.untimed && (!timed || c.until.Before(end)) {
			end, timed = c.until, true
		}
	}
	return end, timed
}

// ring ends the claims that are over, and asks the leader to confirm the others.
func (s *Session) ring() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(s.over)
	if _, timed := s.nextEnd(); timed && !s.asking {
		s.asking = true
		s.submit(s.keep)
	}
	s.wind()
}

// keep asks the leader whether the session is alive.
func (s *Session) keep() error {
	_, err := s.sync()(s.conn)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking = false
	if err != nil {
		s.askAgain = s.clock.Now().Add(pause)
	}
	s.drop(s.over)
	s.wind()
	return err
}
