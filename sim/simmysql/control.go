package simmysql

import (
	"slices"
	"strings"

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
	s.txn.toPoint(i, &ending{by: s.origin()})
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
		t.points = append(t.points, point{p.name, len(t.undo), t.used})
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
	if !strings.EqualFold(database, databaseName) {
		return fail(1049, "42000", "Unknown database '%s'", database)
	}
	s.database = databaseName
	return nil
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
		v, err := (&variable{name, w.global}).eval(&scope{x: x})
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
	case victim == x.session && k.query:
		return nil, errInterrupted
	case victim == x.session:
		x.session.killed = end
		return nil, errKilled
	case victim.current != nil && k.query:
		victim.interrupt(errInterrupted)
	case victim.current != nil:
		victim.interrupt(errKilled)
		victim.close(end)
	case !k.query:
		victim.close(end)
	}
	return &result{}, nil
}
