package simpostgres

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/executor"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

var (
	_ executor.Session = (*session)(nil)
	_ storage.Client   = (*session)(nil)
)

// Backend returns the session's place in the database.
func (s *session) Backend() *storage.Backend { return s.back }

// ClockTimestamp reads the server's clock.
func (s *session) ClockTimestamp() types.Timestamp {
	m := s.present()
	s.readAt(m.stamp)
	return m.at
}

// TransactionTimestamp returns the time at which the transaction began.
func (s *session) TransactionTimestamp() types.Timestamp {
	s.readAt(s.transaction.stamp)
	return s.transaction.at
}

// StatementTimestamp returns the time at which the client's present message began.
func (s *session) StatementTimestamp() types.Timestamp {
	s.readAt(s.statement.stamp)
	return s.statement.at
}

// readAt notes that the transaction uses a time of the server's clock.
func (s *session) readAt(stamp model.Stamp) {
	if !s.read.Happened() || stamp.Seq > s.read.Seq {
		s.read = stamp
	}
}

// ClockRead returns when the session's transaction last read the server's clock; zero if it did not.
func (s *session) ClockRead() model.Stamp { return s.read }

// Random returns random bits, which are the same in each run. Those of Load are the same on all nodes.
func (s *session) Random() uint64 {
	n := s.node
	n.random++
	x := n.random
	if !s.loads {
		x += uint64(s.pid) << 32
		for _, b := range []byte(n.Name()) {
			x = x*31 + uint64(b)
		}
	}
	// This is the finalizer of splitmix64.
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// User returns the name of the client's role.
func (s *session) User() string { return s.node.cluster.options.Role }

// Database returns the name of the database.
func (s *session) Database() string { return s.node.cluster.options.Database }

// InRecovery reports whether the server is a standby.
func (s *session) InRecovery() bool { return !s.loads && !s.node.IsPrimary() }

// Notice sends a notice or a warning, unless client_min_messages is above it.
func (s *session) Notice(e *pgerror.Error) {
	least := s.settings.show("client_min_messages")
	if s.conn == nil || least == "error" || least == "warning" && e.Severity == pgerror.SeverityNotice {
		return
	}
	s.conn.task = s.task
	s.conn.report(e, s.text)
}
