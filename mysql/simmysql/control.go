package simmysql

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql/sql"
)

// Statements on sessions.
type (
	do   struct{ exprs []sql.Expr }
	kill struct {
		id    sql.Expr
		query bool
	}
	use  struct{ database string }
	show struct {
		what, like string
		global     bool // what new sessions begin with
	}
)

// Name returns "DO".
func (d *do) Name() string { return sql.EffectName(d.exprs, "DO") }

// Name returns "KILL".
func (*kill) Name() string { return "KILL" }

// Name returns "USE".
func (*use) Name() string { return "USE" }

// Name returns "SHOW".
func (*show) Name() string { return "SHOW" }

// killing parses KILL.
func killing(p *sql.Parser) sql.Statement {
	k := &kill{}
	k.query = p.OneOf("connection", "query") == "query"
	k.id = p.Factor()
	return k
}

// showing parses SHOW.
func showing(p *sql.Parser) sql.Statement {
	scope := p.OneOf("session", "global", "local")
	s := &show{global: scope == "global", what: p.OneOf("variables", "warnings", "tables")}
	if s.what == "" || s.what == "tables" && scope != "" {
		p.Unexpected()
	}
	if p.Word("like") {
		s.like = p.Next().Text
	}
	return s
}

// Run evaluates the expressions.
func (d *do) Run(x *sql.Execution) (*sql.Result, error) {
	for _, e := range d.exprs {
		if err := x.Check(e); err != nil {
			return nil, err
		}
		if _, err := x.Evaluate(e); err != nil {
			return nil, err
		}
	}
	return &sql.Result{}, nil
}

// Run chooses the database.
func (u *use) Run(x *sql.Execution) (*sql.Result, error) {
	return &sql.Result{}, sessionOf(x).enter(u.database)
}

// Run shows variables, tables, or no warnings.
func (w *show) Run(x *sql.Execution) (*sql.Result, error) {
	rows := [][]sql.Value{}
	switch w.what {
	case "warnings":
		return &sql.Result{Columns: textColumns(rows, "Level", "Code", "Message"), Rows: rows}, nil
	case "tables":
		return w.tables(x.Session())
	}
	for _, name := range shown {
		if !w.matches(name) {
			continue
		}
		v, err := (&variable{name, w.global}).Eval(x)
		if err != nil {
			return nil, err
		}
		if name == "autocommit" || name == "read_only" {
			v = sql.TextValue(map[bool]string{true: "ON", false: "OFF"}[v.IsTrue()])
		}
		rows = append(rows, []sql.Value{sql.TextValue(name), sql.TextValue(v.String())})
	}
	return &sql.Result{Columns: textColumns(rows, "Variable_name", "Value"), Rows: rows}, nil
}

// matches reports whether a name is shown.
func (w *show) matches(name string) bool {
	return w.like == "" || folding.Like(name, w.like)
}

// tables shows the names of the tables.
func (w *show) tables(s *sql.Session) (*sql.Result, error) {
	if s.Database == "" {
		return nil, sql.Fail(sql.NoDatabase)
	}
	rows, title := [][]sql.Value{}, "Tables_in_"+s.Database
	if w.like != "" {
		title += " (" + w.like + ")"
	}
	for _, name := range s.Tables() {
		if w.matches(name) {
			rows = append(rows, []sql.Value{sql.TextValue(name)})
		}
	}
	return &sql.Result{Columns: textColumns(rows, title), Rows: rows}, nil
}

// textColumns returns columns of texts. Without rows their type is that of NULL.
func textColumns(rows [][]sql.Value, names ...string) (list []sql.ResultColumn) {
	for _, name := range names {
		c := sql.ResultColumn{Name: name}
		if len(rows) > 0 {
			c.Type = columnTypes["varchar"]
		}
		list = append(list, c)
	}
	return list
}

// Run ends a session, or only the wait of its statement.
func (k *kill) Run(x *sql.Execution) (*sql.Result, error) {
	v, err := x.Evaluate(k.id)
	if err != nil {
		return nil, err
	}
	s := sessionOf(x)
	victim := s.node.session(v.Integer())
	end := &sql.Ending{Kind: model.RecordDeleted, By: s.Origin()}
	switch {
	case victim == nil:
		return nil, fail(1094, "HY000", "Unknown thread id: %d", v.Integer())
	case victim == s && k.query:
		return nil, errInterrupted
	case victim == s:
		s.killed = end
		return nil, errKilled
	case victim.Busy() && k.query:
		victim.interrupt(errInterrupted)
	case victim.Busy():
		victim.interrupt(errKilled)
		victim.close(end)
	case !k.query:
		victim.close(end)
	}
	return &sql.Result{}, nil
}
