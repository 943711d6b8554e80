package real

import (
	"context"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

// This file decides which member leads. The members themselves may elect any of them. So a leader that is about to fail
// transfers its leadership to a member that does not fail (etcd's MoveLeader), and that one transfers it when the trace
// has a new leader.

// enter sets the state. A leader that cannot lead in it transfers its leadership before.
func (s *servers) enter(new realserver.Ensemble) {
	s.mu.Lock()
	s.state = new
	s.mu.Unlock()
	leader := s.leader()
	if leader == "" || new.CanLead(s.names, leader) {
		return
	}
	for _, m := range s.names {
		if new.CanLead(s.names, m) {
			_ = s.transfer(leader, m) // else they elect one
			return
		}
	}
}

// leader returns the name of the leader among the members that run, and "" if there is
// none.
func (s *servers) leader() string {
	for _, m := range s.names {
		if s.now().Out(m) {
			continue
		}
		if its, err := s.status(m); err == nil && its.Leader == its.Header.MemberId {
			return m
		}
	}
	return ""
}

// now is the members' state.
func (s *servers) now() realserver.Ensemble {
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

// brief is how long a member that runs may take to report the leader.
const brief = time.Second

// transfer has a leader transfer its leadership.
func (s *servers) transfer(leader, to string) error {
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
	return realserver.Eventually(patience, func() error {
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
			return errors.Join(s.transfer(leader, name), errors.New("it does not know yet that it leads"))
		}
		return errors.New("nobody leads")
	})
}

// Promote makes a member the leader. One that leads already becomes it anew, since a new leader renews all leases.
func (s *servers) Promote(name string) error {
	if s.leader() == name {
		for _, m := range s.names {
			if m != name && s.now().CanLead(s.names, m) {
				if err := s.lead(m); err != nil {
					return err
				}
				break
			}
		}
	}
	return s.lead(name)
}

// Divide holds back what members send each other where apart returns true, and releases what no longer has
// to be held back.
func (s *servers) Divide(apart func(from, to string) bool) error {
	new := s.now()
	new.Apart = apart
	s.enter(new)
	s.network.Hold(apart)
	return nil
}

// TurnsAway is false: members keep their clients while they elect a leader.
func (*servers) TurnsAway(string) bool { return false }

// Extension is the election time-out: etcd adds it to all leases when a leader is new.
func (s *servers) Extension() time.Duration { return s.election }

var _ confirm.Members = (*servers)(nil)
