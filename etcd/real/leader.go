package real

import (
	"context"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockpick-dev/lockpick/confirm"
)

// This file has who leads. Members elect whom they will, so a leader that is about to fail hands its office over to a member
// that goes on, which etcd does at an administrator's request, and that one hands it over when the trace has a new leader.

// state is what has happened to the members.
type state struct {
	out   map[string]bool // those that do not run, or hang
	apart func(from, to string) bool
}

// with is the state with a member out of it, or back in it.
func (s state) with(member string, out bool) state {
	new := state{out: map[string]bool{member: out}, apart: s.apart}
	for m, is := range s.out { // unordered: into a map
		if m != member {
			new.out[m] = is
		}
	}
	return new
}

// hear reports whether two members hear each other.
func (s state) hear(a, b string) bool {
	return a == b || s.apart == nil || !s.apart(a, b) && !s.apart(b, a)
}

// works reports whether a member can lead: it runs, and hears a majority.
func (s state) works(members []string, member string) bool {
	hears := 0
	for _, m := range members {
		if !s.out[m] && s.hear(member, m) {
			hears++
		}
	}
	return !s.out[member] && 2*hears > len(members)
}

// becomes has the leader hand its office over if it can lead no more in a state that comes now.
func (s *servers) becomes(new state) {
	s.mu.Lock()
	s.state = new
	s.mu.Unlock()
	leader := s.leader()
	if leader == "" || new.works(s.names, leader) {
		return
	}
	for _, m := range s.names {
		if new.works(s.names, m) {
			_ = s.move(leader, m) // else they elect one
			return
		}
	}
}

// leader is who leads of the members that run, empty if nobody does.
func (s *servers) leader() string {
	for _, m := range s.names {
		if s.now().out[m] {
			continue
		}
		if its, err := s.status(m); err == nil && its.Leader == its.Header.MemberId {
			return m
		}
	}
	return ""
}

// now is the members' state.
func (s *servers) now() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// status is a member's own view of the cluster.
func (s *servers) status(name string) (*clientv3.StatusResponse, error) {
	n := s.nodes[name]
	ctx, cancel := context.WithTimeout(context.Background(), brief)
	defer cancel()
	return n.admin.Status(ctx, n.clients)
}

// brief is how long a member that runs may take to say who leads.
const brief = time.Second

// move has a leader hand its office over.
func (s *servers) move(leader, to string) error {
	its, err := s.status(to)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), brief)
	defer cancel()
	_, err = s.nodes[leader].admin.MoveLeader(ctx, its.Header.MemberId)
	return err
}

// lead makes a member the leader, if it is not.
func (s *servers) lead(name string) error {
	return eventually(func() error {
		its, err := s.status(name)
		if err != nil {
			return err
		}
		if its.Leader == its.Header.MemberId {
			s.mu.Lock()
			s.version = its.Version
			s.mu.Unlock()
			return nil
		}
		if leader := s.leader(); leader != "" {
			return errors.Join(s.move(leader, name), errors.New("it does not know yet that it leads"))
		}
		return errors.New("nobody leads")
	})
}

// Promote makes a member the leader, anew if it leads: a new leader keeps all leases alive.
func (s *servers) Promote(name string) error {
	if s.leader() == name {
		for _, m := range s.names {
			if m != name && s.now().works(s.names, m) {
				if err := s.lead(m); err != nil {
					return err
				}
				break
			}
		}
	}
	return s.lead(name)
}

// Divide has what members send each other held as apart says, and lets go what was held and is not any more.
func (s *servers) Divide(apart func(from, to string) bool) error {
	new := s.now()
	new.apart = apart
	s.becomes(new)
	if apart == nil {
		s.network.apart.Store(nil)
	} else {
		s.network.apart.Store(&apart)
	}
	return nil
}

// Longer is the election time-out, by which a new leader has leases live longer than they were granted for.
func (s *servers) Longer() time.Duration { return s.election }

var _ confirm.Members = (*servers)(nil)
