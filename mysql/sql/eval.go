package sql

import (
	"strings"
	"time"
)

// scope is the context in which an expression is evaluated.
type scope struct {
	x     *Execution
	table *table  // of the row; nil if there is none
	row   []Value // its present columns
	fresh []Value // the row to be inserted, if row has its key already
	rows  [][]Value
}

func (c *scope) collation() Collation { return c.x.session.db.dialect.Collation }

// Evaluator is an expression of a dialect.
type Evaluator interface {
	Expr
	// Eval returns its value in a statement. The error is ErrWait if it has to wait.
	Eval(x *Execution) (Value, error)
}

// eval returns the value of an expression. The error is ErrWait if it has to wait.
func eval(e Expr, c *scope) (Value, error) {
	switch e := e.(type) {
	case *Literal:
		return e.Value, nil
	case *param:
		return e.eval(c)
	case *ColumnRef:
		return e.eval(c)
	case *prefixed:
		return e.eval(c)
	case *operation:
		return e.eval(c)
	case *isNull:
		return e.eval(c)
	case *inList:
		return e.eval(c)
	case *between:
		return e.eval(c)
	case *shift:
		return e.eval(c)
	case *call:
		return e.eval(c)
	case *aggregate:
		return e.eval(c)
	case *subquery:
		return e.eval(c)
	}
	return e.(Evaluator).Eval(c.x)
}

func (p *param) eval(c *scope) (Value, error) {
	if p.n >= len(c.x.params) {
		return Value{}, Fail(MissingParameter)
	}
	return c.x.params[p.n], nil
}

func (r *ColumnRef) eval(c *scope) (Value, error) {
	row := c.row
	if r.Inserted && c.fresh != nil {
		row = c.fresh
	}
	if c.table == nil {
		return Value{}, Fail(NoColumn, r.Name, "field list")
	}
	i := c.table.column(r.Name)
	if i < 0 || row == nil || r.Table != "" && !strings.EqualFold(r.Table, c.table.name) {
		return Value{}, Fail(NoColumn, r.Name, "field list")
	}
	return row[i], nil
}

func (u *prefixed) eval(c *scope) (Value, error) {
	v, err := eval(u.x, c)
	switch {
	case err != nil || v.Kind == Null:
		return Value{}, err
	case u.op == "not":
		return BoolValue(!v.IsTrue()), nil
	}
	return negative(v)
}

func (n *isNull) eval(c *scope) (Value, error) {
	v, err := eval(n.x, c)
	return BoolValue((v.Kind == Null) != n.not), err
}

func (l *inList) eval(c *scope) (Value, error) {
	v, err := eval(l.x, c)
	if err != nil || v.Kind == Null {
		return Value{}, err
	}
	unknown := false
	for _, e := range l.list {
		o, err := eval(e, c)
		switch {
		case err != nil:
			return Value{}, err
		case o.Kind == Null:
			unknown = true
		case c.collation().Compare(v, o) == 0:
			return BoolValue(!l.not), nil
		}
	}
	if unknown {
		return Value{}, nil
	}
	return BoolValue(l.not), nil
}

func (b *between) eval(c *scope) (Value, error) {
	var v [3]Value
	for i, e := range b.Parts() {
		var err error
		if v[i], err = eval(e, c); err != nil {
			return Value{}, err
		}
	}
	above, err := c.collation().operate(">=", v[0], v[1])
	if err != nil || above.Kind != Null && !above.IsTrue() {
		return above, err
	}
	below, err := c.collation().operate("<=", v[0], v[2])
	if err != nil {
		return Value{}, err
	}
	return c.collation().operate("and", above, below)
}

func (b *operation) eval(c *scope) (Value, error) {
	left, err := eval(b.a, c)
	if err != nil {
		return Value{}, err
	}
	switch {
	case b.op == "and" && left.Kind != Null && !left.IsTrue():
		return BoolValue(false), nil
	case b.op == "or" && left.IsTrue():
		return BoolValue(true), nil
	}
	right, err := eval(b.b, c)
	if err != nil {
		return Value{}, err
	}
	return c.collation().operate(b.op, left, right)
}

func (s *shift) eval(c *scope) (Value, error) {
	v, err := eval(s.x, c)
	if err != nil {
		return Value{}, err
	}
	n, err := eval(s.n, c)
	if err != nil || v.Kind == Null || n.Kind == Null {
		return Value{}, err
	}
	if v.Kind != Moment {
		if v = ParseMoment(v.String()); v.Kind == Null {
			return v, nil
		}
	}
	micros, fits := Value{Kind: Float, Float: n.Number() * float64(s.unit.Microseconds())}.rounded()
	if s.unit == time.Microsecond {
		micros, fits = n.rounded()
	}
	if s.back {
		micros = -micros
	}
	if v.Int += micros; !fits || max(micros, -micros) > lastMoment || v.Int < firstMoment || v.Int > lastMoment {
		return Value{}, nil
	}
	if v.Int%1e6 != 0 {
		v.Decimals = 6
	}
	return v, nil
}

func (a *aggregate) eval(c *scope) (Value, error) {
	var sum Value
	count := int64(0)
	for _, row := range c.rows {
		if a.x == nil {
			count++
			continue
		}
		one := *c
		one.row, one.rows = row, nil
		v, err := eval(a.x, &one)
		switch {
		case err != nil:
			return Value{}, err
		case v.Kind == Null:
			continue
		case count == 0:
			sum = v
		case a.name == "sum":
			if sum, err = calculate("+", sum, v); err != nil {
				return Value{}, err
			}
		case a.name == "min" && c.collation().Compare(v, sum) < 0, a.name == "max" && c.collation().Compare(v, sum) > 0:
			sum = v
		}
		count++
	}
	if a.name == "count" {
		return IntValue(count), nil
	}
	return sum, nil
}

// eval runs the query, once in a statement. After a wait it starts again, without waiting for the locks that it has
// got.
func (e *subquery) eval(c *scope) (Value, error) {
	if v, done := c.x.called[e]; done {
		return v, nil
	}
	var query Statement = e.query
	held := c.x.progress
	c.x.progress = nil
	r, err := query.(Runner).Run(c.x)
	c.x.progress = held
	if err == nil && !e.exists {
		err = r.checkValue()
	}
	if err != nil {
		return Value{}, err
	}
	v := BoolValue(len(r.Rows) > 0)
	if !e.exists {
		if v = (Value{}); len(r.Rows) > 0 {
			v = r.Rows[0][0]
		}
	}
	c.x.remember(e, v)
	return v, nil
}

// checkValue returns an error if a result is not a single value.
func (r *Result) checkValue() error {
	switch {
	case len(r.Columns) != 1:
		return Fail(ManyColumns)
	case len(r.Rows) > 1:
		return Fail(ManyRows)
	}
	return nil
}

// remember keeps the value of an expression that is evaluated once.
func (x *Execution) remember(e Expr, v Value) {
	if x.called == nil {
		x.called = map[Expr]Value{}
	}
	x.called[e] = v
}

// eval calls the function. One that waits or has an effect is called once in a statement.
func (f *call) eval(c *scope) (Value, error) {
	if v, done := c.x.called[f]; done {
		return v, nil
	}
	var room [4]Value
	args := room[:0]
	for _, a := range f.args {
		v, err := eval(a, c)
		if err != nil {
			return Value{}, err
		}
		args = append(args, v)
	}
	v, err := f.function.(*Function).Eval(c.x, args)
	if err == nil && f.function.HasEffect() {
		c.x.remember(f, v)
	}
	return v, err
}
