package simmysql

import (
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// commitBefore commits the open transaction before a statement that implies it. If that waits for a
// replica, the statement is run again.
func (x *execution) commitBefore() error {
	if err := x.session.commit(); err != nil {
		return err
	}
	x.session.explicit = false
	return nil
}

func (b *begin) run(x *execution) (*result, error) {
	if err := x.commitBefore(); err != nil {
		return nil, err
	}
	s := x.session
	s.explicit = true
	t := s.transaction()
	t.readOnly = t.readOnly || b.readOnly
	if b.snapshot && t.level == repeatableRead {
		t.snapshot(x)
	}
	return &result{}, nil
}

func (*commit) run(x *execution) (*result, error) {
	return &result{}, x.commitBefore()
}

func (r *rollback) run(x *execution) (*result, error) {
	s := x.session
	if r.to != "" {
		return r.toSavepoint(s)
	}
	if s.txn != nil {
		s.txn.rollback(&ending{by: s.origin()})
	}
	s.explicit = false
	return &result{}, nil
}

func (r *rollback) toSavepoint(s *session) (*result, error) {
	i := s.savepoint(r.to)
	if i < 0 {
		return nil, fail(1305, "42000", "SAVEPOINT %s does not exist", r.to)
	}
	s.txn.rollbackTo(s.txn.points[i].undo)
	s.txn.points = s.txn.points[:i+1]
	return &result{}, nil
}

// savepoint is the place of a savepoint in the open transaction, -1 if there is none.
func (s *session) savepoint(name string) int {
	if s.txn == nil {
		return -1
	}
	return slices.IndexFunc(s.txn.points, func(p point) bool { return strings.EqualFold(p.name, name) })
}

func (p *savepoint) run(x *execution) (*result, error) {
	s := x.session
	i := s.savepoint(p.name)
	switch {
	case p.release && i < 0:
		return nil, fail(1305, "42000", "SAVEPOINT %s does not exist", p.name)
	case p.release:
		s.txn.points = s.txn.points[:i]
	case s.explicit || !s.autocommit:
		t := s.transaction()
		if i >= 0 {
			t.points = slices.Delete(t.points, i, i+1)
		}
		t.points = append(t.points, point{p.name, len(t.undo)})
	}
	return &result{}, nil
}

func (d *do) run(x *execution) (*result, error) {
	for _, e := range d.exprs {
		if err := x.check(nil, "field list", e); err != nil {
			return nil, err
		}
		if _, err := x.whole(e); err != nil {
			return nil, err
		}
	}
	return &result{}, nil
}

func (u *use) run(x *execution) (*result, error) {
	return &result{}, x.session.enter(u.database)
}

// enter makes a database the session's.
func (s *session) enter(database string) error {
	if !strings.EqualFold(database, s.node.cluster.options.Database) {
		return fail(1049, "42000", "Unknown database '%s'", database)
	}
	s.database = s.node.cluster.options.Database
	return nil
}

func (s *set) run(x *execution) (*result, error) {
	for _, a := range s.variables {
		v, err := x.session.initial(a.variable())
		if a.expr != nil {
			v, err = x.whole(a.expr)
		}
		if err != nil {
			return nil, err
		}
		if s.nextOnly {
			err = x.session.setNext(a.variable(), v)
		} else {
			err = x.session.set(x, a.variable(), v)
		}
		if err != nil {
			return nil, err
		}
	}
	return &result{}, nil
}

// variable is the name of the variable that is set.
func (a *assignment) variable() string {
	switch a.column {
	case "transaction_isolation":
		return "tx_isolation"
	case "transaction_read_only":
		return "tx_read_only"
	}
	return a.column
}

// set sets a variable of the session.
func (s *session) set(x *execution, name string, v value) error {
	switch name {
	case "autocommit":
		if on := isOn(v); on != s.autocommit {
			if on {
				if err := x.commitBefore(); err != nil {
					return err
				}
			}
			s.autocommit = on
		}
	case "tx_isolation":
		level, err := levelOf(v)
		if err != nil {
			return err
		}
		s.level = level
	case "tx_read_only":
		s.readOnly = isOn(v)
	case "innodb_lock_wait_timeout":
		s.lockWait = seconds(v.number())
	case "wait_timeout":
		s.idle = max(seconds(v.number()), time.Second)
	case "sql_mode", "time_zone", "character_set_results", "character_set_client", "character_set_connection", "collation_connection",
		"net_write_timeout", "net_read_timeout", "interactive_timeout", "max_statement_time", "sql_safe_updates":
		// accepted, without effect
	default:
		return fail(1193, "HY000", "Unknown system variable '%s'", name)
	}
	return nil
}

// setNext sets what holds for the next transaction alone.
func (s *session) setNext(name string, v value) error {
	if s.txn != nil && s.explicit {
		return errTransacted
	}
	if s.next == nil {
		s.next = &characteristics{s.level, s.readOnly}
	}
	if name == "tx_read_only" {
		s.next.readOnly = isOn(v)
		return nil
	}
	level, err := levelOf(v)
	s.next.level = level
	return err
}

func isOn(v value) bool { return v.isTrue() || v.kind == text && strings.EqualFold(v.s, "on") }

func levelOf(v value) (isolation, error) {
	for _, level := range []isolation{repeatableRead, readCommitted} {
		if strings.EqualFold(v.s, level.String()) {
			return level, nil
		}
	}
	return 0, fail(1231, "42000", "Variable 'tx_isolation' can't be set to the value of '%s': the simulated server has REPEATABLE-READ and READ-COMMITTED", v.String())
}

// shown are the variables that can be read, in the order of their names.
var shown = []string{"autocommit", "innodb_lock_wait_timeout", "max_allowed_packet", "read_only", "transaction_isolation", "tx_isolation", "version", "wait_timeout"}

// variable is the value of a variable.
func (s *session) variable(name string) (value, error) {
	switch name {
	case "autocommit":
		return boolValue(s.autocommit), nil
	case "tx_isolation", "transaction_isolation":
		return textValue(s.level.String()), nil
	case "innodb_lock_wait_timeout":
		return intValue(int64(s.lockWait.Seconds())), nil
	case "wait_timeout":
		return intValue(int64(s.idle.Seconds())), nil
	case "max_allowed_packet":
		return intValue(maxPacket), nil
	case "read_only":
		return boolValue(s.node.readOnly()), nil
	case "version":
		return textValue(s.node.cluster.options.Version), nil
	case "last_insert_id", "identity":
		return intValue(s.lastInsertID), nil
	}
	return value{}, fail(1193, "HY000", "Unknown system variable '%s'", name)
}

// initial is the value that a variable has in a new session.
func (s *session) initial(name string) (value, error) {
	return newSession(s.node, s.id, nil).variable(name)
}

func (w *show) run(x *execution) (*result, error) {
	if w.what == "warnings" {
		names := []item{{name: "Level"}, {name: "Code"}, {name: "Message"}}
		return &result{columns: columnsOf(nil, names, nil), rows: [][]value{}}, nil
	}
	rows := [][]value{}
	for _, name := range shown {
		if w.like != "" && !like(name, w.like) {
			continue
		}
		v, err := x.session.variable(name)
		if err != nil {
			return nil, err
		}
		if name == "autocommit" || name == "read_only" {
			v = textValue(map[bool]string{true: "ON", false: "OFF"}[v.isTrue()])
		}
		rows = append(rows, []value{textValue(name), textValue(v.String())})
	}
	return &result{columns: columnsOf(nil, []item{{name: "Variable_name"}, {name: "Value"}}, rows), rows: rows}, nil
}

func (k *kill) run(x *execution) (*result, error) {
	v, err := x.whole(k.id)
	if err != nil {
		return nil, err
	}
	victim := x.session.node.session(v.integer())
	end := &ending{kind: model.RecordDeleted, by: x.session.origin()}
	switch {
	case victim == nil:
		return nil, fail(1094, "HY000", "Unknown thread id: %d", v.integer())
	case victim == x.session:
		return nil, errInterrupted
	case victim.current != nil && k.query:
		victim.interrupt()
	case victim.current != nil:
		victim.abort(errKilled)
		victim.close(end)
	case !k.query:
		victim.close(end)
	}
	return &result{}, nil
}
