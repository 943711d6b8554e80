package simpostgres

import (
	"slices"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
)

// notification is a message to the listeners of a channel.
type notification struct {
	pid              int32 // of the session that has sent it
	channel, payload string
}

// The limits of channels and payloads, in bytes.
const (
	longestChannel = 63
	longestPayload = 7999
)

// notification executes LISTEN, UNLISTEN or NOTIFY.
func (s *session) notification(st syntax.Statement) (tag string, err error) {
	switch t := st.(type) {
	case *syntax.Listen:
		if err := s.noRecovery("LISTEN"); err != nil {
			return "", err
		}
		s.back.OnCommit(func() {
			if !slices.Contains(s.listens, t.Channel) {
				s.listens = append(s.listens, t.Channel)
			}
		})
		return "LISTEN", nil
	case *syntax.Unlisten:
		s.unlisten(t.Channel)
		return "UNLISTEN", nil
	case *syntax.Notify:
		return "NOTIFY", s.Notify(t.Channel, t.Payload)
	}
	return "", pgerror.Lacks("%s", requestName(st))
}

// noRecovery returns an error if the server is a standby.
func (s *session) noRecovery(what string) error {
	if s.InRecovery() {
		return pgerror.New(pgerror.ReadOnlyTransaction, "cannot execute %s during recovery", what)
	}
	return nil
}

// unlisten stops listening when the transaction has committed.
func (s *session) unlisten(channel string) {
	s.back.OnCommit(func() {
		stops := func(c string) bool { return c == channel || channel == "*" }
		s.listens = slices.DeleteFunc(s.listens, stops)
		if len(s.listens) == 0 {
			s.incoming = nil // it reads no more
		}
	})
}

// Listening returns the channels that the session listens on.
func (s *session) Listening() []string { return slices.Clone(s.listens) }

// Notify is NOTIFY. Messages of a transaction that are equal are one.
func (s *session) Notify(channel, payload string) error {
	switch {
	case s.InRecovery():
		return s.noRecovery("NOTIFY")
	case channel == "":
		return pgerror.New(pgerror.InvalidParameterValue, "channel name cannot be empty")
	case len(channel) > longestChannel:
		return pgerror.New(pgerror.InvalidParameterValue, "channel name too long")
	case len(payload) > longestPayload:
		return pgerror.New(pgerror.InvalidParameterValue, "payload string too long")
	}
	n := notification{s.pid, channel, payload}
	s.back.OnCommit(func() {
		if !slices.Contains(s.notifies, n) {
			s.notifies = append(s.notifies, n)
		}
	})
	return nil
}

// publish gives the notifications of the transaction, which has committed, to their listeners. Those that wait for their
// clients outside of a transaction send them at once.
func (s *session) publish() {
	list := s.notifies
	s.notifies = nil
	if len(list) == 0 {
		return
	}
	for _, o := range slices.Clone(s.node.sessions) {
		if len(o.listens) > 0 {
			o.incoming = append(o.incoming, list...)
		}
		if o != s && o.isIdle() && len(o.incoming) > 0 {
			o.conn.task = nil
			o.deliver()
			o.conn.flush()
		}
	}
}

// listen sends the notifications that have arrived if the session has handled all that its client has sent, and is outside of a
// transaction: also amid a pipeline, and while it skips messages until a Sync.
func (s *session) listen() {
	if s.back.Txn() == nil && len(s.incoming) > 0 {
		s.deliver()
		s.conn.flush()
	}
}

// deliver sends the notifications that have arrived on the channels on which the session listens now.
func (s *session) deliver() {
	list := s.incoming
	s.incoming = nil
	for _, n := range list {
		if s.conn != nil && slices.Contains(s.listens, n.channel) {
			s.conn.send(&pgproto3.NotificationResponse{PID: uint32(n.pid), Channel: n.channel, Payload: n.payload})
		}
	}
}
