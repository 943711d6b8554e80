package executor

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// host is a server without a network.
type host struct {
	db     *storage.Database
	now    time.Time
	timers []*timer
	random uint64
	all    []*session
}

type timer struct {
	at   time.Time
	fire func()
	over bool
}

func (t *timer) Stop() { t.over = true }

func newHost() *host {
	h := &host{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), random: 1}
	h.db = storage.NewDatabase(h)
	return h
}

func (h *host) Now() time.Time     { return h.now }
func (h *host) Stamp() model.Stamp { return model.Stamp{} }

func (h *host) After(d time.Duration, _ string, fire func()) storage.Timer {
	t := &timer{at: h.now.Add(d), fire: fire}
	h.timers = append(h.timers, t)
	return t
}

func (h *host) Ship(*storage.Backend, *storage.Changes) bool { return false }
func (h *host) Changed(storage.RowChange)                    {}

// advance lets time pass.
func (h *host) advance(d time.Duration) {
	for end := h.now.Add(d); ; {
		var next *timer
		for _, t := range h.timers {
			if !t.over && !t.at.After(end) && (next == nil || t.at.Before(next.at)) {
				next = t
			}
		}
		if next == nil {
			h.now = end
			return
		}
		h.now, next.over = next.at, true
		next.fire()
		h.db.Settle()
	}
}

// session is a session whose statements are coroutines.
type session struct {
	host     *host
	backend  *storage.Backend
	pid      int32
	settings map[string]string
	began    time.Time // the transaction
	read     time.Time // the message
	block    bool
	yield    func(struct{}) bool
	next     func() (struct{}, bool)
	busy     bool
	answer   []string
	notices  []string
	notified []string
}

func (h *host) session() *session {
	s := &session{host: h, pid: int32(101 + len(h.all)), settings: map[string]string{"search_path": `"$user", public`, "application_name": ""}}
	s.backend = h.db.NewBackend(s, s.pid)
	h.all = append(h.all, s)
	return s
}

func timestamp(t time.Time) types.Timestamp { return types.Timestamp(t.UnixMicro()) }

func (s *session) Backend() *storage.Backend             { return s.backend }
func (s *session) ClockTimestamp() types.Timestamp       { return timestamp(s.host.now) }
func (s *session) TransactionTimestamp() types.Timestamp { return timestamp(s.began) }
func (s *session) StatementTimestamp() types.Timestamp   { return timestamp(s.read) }
func (s *session) User() string                          { return "postgres" }
func (s *session) Database() string                      { return "postgres" }
func (s *session) InRecovery() bool                      { return false }
func (s *session) InBlock() bool                         { return s.block }
func (s *session) Listening() []string                   { return nil }
func (s *session) View(string) *View                     { return nil }

func (s *session) Random() uint64 {
	s.host.random = s.host.random*6364136223846793005 + 1442695040888963407
	return s.host.random
}

func (s *session) Setting(name string) (string, bool) {
	v, ok := s.settings[name]
	return v, ok
}

func (s *session) Set(name, value string, _ bool) (string, error) {
	s.settings[name] = value
	return value, nil
}

func (s *session) Notify(channel, payload string) error {
	s.notified = append(s.notified, channel+" "+payload)
	return nil
}

func (s *session) Terminate(int32) (bool, error) { return false, nil }
func (s *session) Cancel(int32) (bool, error)    { return false, nil }
func (s *session) BlockedBy(int32) []int32       { return s.backend.BlockedBy() }

func (s *session) Sleep(d time.Duration) error {
	s.host.After(d, "sleep", s.Resume)
	return s.Park("Timeout")
}

func (s *session) Origin() model.Origin   { return model.Origin{Client: fmt.Sprint(s.pid)} }
func (s *session) ClockRead() model.Stamp { return model.Stamp{} }

func (s *session) Park(string) error {
	if !s.yield(struct{}{}) {
		return errors.New("closed")
	}
	return nil
}

func (s *session) Resume() {
	if _, more := s.next(); !more {
		s.busy = false
	}
}

func (s *session) Notice(e *pgerror.Error) {
	s.notices = append(s.notices, fmt.Sprintf("%s %s: %s", e.Severity, e.Code, e.Message))
}
func (s *session) Waits(storage.Place)                                          {}
func (s *session) Waited(bool)                                                  {}
func (s *session) Deadlocked([]*storage.Backend)                                {}
func (s *session) Locked(storage.Place, int64, model.Origin)                    {}
func (s *session) Unlocked(storage.Place, int64, model.Origin, *storage.Ending) {}

// start begins to execute a text of statements. The answer is nil while it waits.
func (s *session) start(text string) {
	s.busy, s.answer, s.read = true, nil, s.host.now
	s.next, _ = iter.Pull(func(yield func(struct{}) bool) {
		s.yield = yield
		s.answer = s.simple(text)
	})
	s.Resume()
	s.host.db.Settle()
}

// simple executes statements as a simple query of one statement does.
func (s *session) simple(text string) (out []string) {
	defer func() {
		out = append(s.notices, out...)
		s.notices = nil
	}()
	stmts, err := syntax.Parse(text)
	if err != nil {
		return []string{s.fail(err)}
	}
	for _, st := range stmts {
		lines, err := s.statement(st)
		if err != nil {
			return append(out, s.fail(err))
		}
		out = append(out, lines...)
	}
	return out
}

// fail shows an error, and ends what it ends.
func (s *session) fail(err error) string {
	if s.block {
		s.backend.Fail()
	} else if s.backend.Txn() != nil {
		s.backend.Abort(nil)
	}
	return showError(pgerror.From(err))
}

func showError(e *pgerror.Error) string {
	text := fmt.Sprintf("%s %s: %s", e.Severity, e.Code, e.Message)
	if e.Detail != "" {
		text += " | " + strings.ReplaceAll(e.Detail, "\n", " / ")
	}
	if e.Position > 0 {
		text += " @" + strconv.Itoa(e.Position)
	}
	return text
}

// statement executes one statement.
func (s *session) statement(st syntax.Statement) ([]string, error) {
	if t, ok := st.(*syntax.Transaction); ok {
		return s.transaction(t)
	}
	if set, ok := st.(*syntax.Set); ok {
		s.settings[set.Name] = set.Values[0].Text
		return []string{"SET"}, nil
	}
	if s.backend.Txn() == nil {
		s.backend.Begin(storage.Characteristics{})
		s.began = s.read
	} else if s.backend.Txn().Failed() {
		return nil, pgerror.New(pgerror.InFailedTransaction, "current transaction is aborted, commands ignored until end of transaction block")
	}
	p, err := Prepare(s, st, nil)
	if err != nil {
		return nil, err
	}
	r, err := p.Run(s, nil)
	if err != nil {
		return nil, err
	}
	s.backend.NextCommand()
	out := show(p.Columns, r)
	if !s.block {
		if err := s.backend.Commit(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// show writes a result.
func show(columns []Column, r *Result) (out []string) {
	if columns != nil {
		var head []string
		for _, c := range columns {
			head = append(head, fmt.Sprintf("%s(%d)", c.Name, c.Type))
		}
		out = append(out, strings.Join(head, "|"))
	}
	for _, row := range r.Rows {
		var parts []string
		for i, c := range columns {
			text := "NULL"
			if row[i] != nil {
				text = types.Text(c.Type, row[i])
			}
			parts = append(parts, text)
		}
		out = append(out, strings.Join(parts, "|"))
	}
	return append(out, r.Tag)
}

// transaction executes BEGIN, COMMIT and their kin.
func (s *session) transaction(t *syntax.Transaction) ([]string, error) {
	switch t.Kind {
	case syntax.Begin, syntax.StartTransaction:
		c := storage.Characteristics{ReadOnly: t.Modes.ReadOnly != nil && *t.Modes.ReadOnly}
		switch t.Modes.Isolation {
		case "repeatable read":
			c.Level = storage.RepeatableRead
		case "serializable":
			c.Level = storage.Serializable
		}
		s.backend.Begin(c)
		s.block, s.began = true, s.read
		return []string{"BEGIN"}, nil
	case syntax.Commit:
		s.block = false
		if s.backend.Txn().Failed() {
			s.backend.Abort(nil)
			return []string{"ROLLBACK"}, nil
		}
		return []string{"COMMIT"}, s.backend.Commit()
	case syntax.Rollback:
		s.block = false
		s.backend.Abort(nil)
		return []string{"ROLLBACK"}, nil
	case syntax.Savepoint:
		s.backend.Savepoint(t.Name)
		return []string{"SAVEPOINT"}, nil
	case syntax.RollbackTo:
		return []string{"ROLLBACK"}, s.backend.RollbackTo(t.Name)
	}
	return []string{"RELEASE"}, s.backend.Release(t.Name)
}

// simulated plays scripts on the simulation.
type simulated struct {
	*host
	sessions map[string]*session
}

func newSimulated(*testing.T) player { return &simulated{newHost(), map[string]*session{}} }

func (p *simulated) start(who, text string) {
	if p.sessions[who] == nil {
		p.sessions[who] = p.session()
	}
	p.sessions[who].start(text)
	p.advance(100 * time.Millisecond)
}

func (p *simulated) answers(who string) ([]string, bool) {
	s := p.sessions[who]
	return slices.Clone(s.answer), !s.busy
}

func (p *simulated) close() {}
