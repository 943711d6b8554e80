package real

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/zookeeper/realzk"
)

// This file decides who leads. Nobody can have ZooKeeper elect whom he wants. But a server votes for the one that has the
// latest transaction, and of several for the one with the highest number, and it needs the votes of a majority. So members
// have their numbers in the order in which they lead in the trace; votes pass only while there is a leader, or one is to be
// elected; and then only between that one and as many others as it needs.

// numbered are the names, those last that lead, and of those the first one last.
func numbered(names, leaders []string) []string {
	rank := func(name string) int {
		if at := slices.Index(leaders, name); at >= 0 {
			return -at
		}
		return -len(leaders)
	}
	return slices.SortedStableFunc(slices.Values(names), func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
}

// isLed reports whether the leader can lead. The caller has the mutex.
func (m *members) isLed() bool { return m.leader != "" && m.ensemble.CanLead(m.names, m.leader) }

// TurnsAway reports whether a member has no leader. It is asked itself if it does not hear one; while it hangs it cannot be.
func (m *members) TurnsAway(node string) bool {
	m.mu.Lock()
	follows := m.isLed() && m.ensemble.Hear(node, m.leader)
	hangs := m.ensemble.Out(node)
	m.mu.Unlock()
	if follows || hangs {
		return false
	}
	_, err := realzk.Version(m.nodes[node].addr)
	return err != nil
}

// enter sets what members run and hear each other. Votes pass while there is a leader, and it can lead.
func (m *members) enter(e realserver.Ensemble) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.isLed()
	m.ensemble = e
	switch after := m.isLed(); {
	case before && !after:
		m.without = time.Now()
	case !before && after && time.Since(m.without) > realzk.SyncTicks*m.tick: // the others have given it up
		m.leader = ""
	}
	if m.isLed() {
		m.network.voting.Hold(nil)
	} else {
		m.network.voting.Hold(func(string, string) bool { return true })
	}
}

// lowest are the names, the lowest number first.
func (m *members) lowest() []string {
	return slices.SortedFunc(slices.Values(m.names), func(a, b string) int { return cmp.Compare(m.nodes[a].id, m.nodes[b].id) })
}

// Promote has a member elected.
func (m *members) Promote(name string) error {
	err := m.elect(name)
	if another := (*electedError)(nil); errors.As(err, &another) {
		return &confirm.Divergence{Reason: another.Error()}
	}
	return err
}

// electedError says who was elected, empty if nobody was.
type electedError struct{ who, want string }

func (e *electedError) Error() string {
	if e.who == "" {
		return fmt.Sprintf("nobody is elected within %v, and %s was to be", patience, e.want)
	}
	return fmt.Sprintf("%s is elected, and %s was to be", e.who, e.want)
}

// elect lets votes pass between a member and as many others as it needs, until it leads, and waits for all that it hears to follow.
func (m *members) elect(name string) error {
	e := m.now()
	m.mu.Lock()
	m.leader = "" // nobody: votes do not pass, whatever happens meanwhile
	m.mu.Unlock()
	voters := []string{name}
	for _, n := range m.lowest() {
		if 2*len(voters) <= len(m.names) && n != name && e.Hear(name, n) {
			voters = append(voters, n)
		}
	}
	m.network.voting.Hold(func(from, to string) bool { return !slices.Contains(voters, from) || !slices.Contains(voters, to) })
	elected := ""
	err := realserver.Eventually(patience, func() error {
		for _, n := range voters {
			if realzk.Leads(m.nodes[n].addr) {
				elected = n
				return nil
			}
		}
		return &electedError{elected, name}
	})
	if err != nil {
		return err
	}
	if elected != name {
		return &electedError{elected, name}
	}
	admin, err := open(m.nodes[name].addr)
	if err != nil {
		return err
	}
	m.mu.Lock()
	old := m.admin
	m.leader, m.admin = name, admin
	m.mu.Unlock()
	if old != nil {
		go old.Close() // it may wait for a server that is gone
	}
	m.enter(m.now())
	return m.all(func(follower string) error {
		if !e.Hear(name, follower) {
			return nil
		}
		return m.serves(follower)
	})
}
