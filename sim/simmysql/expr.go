package simmysql

import (
	"math"
	"slices"
	"strings"
	"time"
)

// expr is an expression.
type expr interface {
	// eval is its value. The error is errWait if it has to wait.
	eval(c *scope) (value, error)
	// parts are the expressions that it is made of.
	parts() []expr
}

// scope is what an expression is evaluated over.
type scope struct {
	x     *execution
	table *table  // of the row; nil if there is none
	row   []value // its present columns
	fresh []value // of ON DUPLICATE KEY UPDATE: the row that was to be inserted
	rows  [][]value
}

// Expressions.
type (
	literal   struct{ value value }
	param     struct{ n int }
	columnRef struct {
		table, name string
		fresh       bool // VALUES(name)
	}
	prefixed struct {
		op string
		x  expr
	}
	operation struct {
		op   string
		a, b expr
	}
	isNull struct {
		x   expr
		not bool
	}
	inList struct {
		x    expr
		list []expr
		not  bool
	}
	between struct{ x, low, high expr }
	// shift is a moment moved by an interval.
	shift struct {
		x, n expr
		unit time.Duration
		back bool
	}
	call struct {
		name string
		args []expr
	}
	// aggregate is a function of all rows; x is nil for COUNT(*).
	aggregate struct {
		name string
		x    expr
	}
	variable struct {
		name   string
		global bool // what new sessions begin with
	}
)

func (*literal) parts() []expr     { return nil }
func (*param) parts() []expr       { return nil }
func (*columnRef) parts() []expr   { return nil }
func (*variable) parts() []expr    { return nil }
func (u *prefixed) parts() []expr  { return []expr{u.x} }
func (b *operation) parts() []expr { return []expr{b.a, b.b} }
func (n *isNull) parts() []expr    { return []expr{n.x} }
func (l *inList) parts() []expr    { return append([]expr{l.x}, l.list...) }
func (b *between) parts() []expr   { return []expr{b.x, b.low, b.high} }
func (s *shift) parts() []expr     { return []expr{s.x, s.n} }
func (c *call) parts() []expr      { return c.args }
func (a *aggregate) parts() []expr {
	if a.x == nil {
		return nil
	}
	return []expr{a.x}
}

// anyPart reports whether an expression or one of its parts is so.
func anyPart(e expr, is func(expr) bool) bool {
	if e == nil {
		return false
	}
	if is(e) {
		return true
	}
	for _, part := range e.parts() {
		if anyPart(part, is) {
			return true
		}
	}
	return false
}

func (l *literal) eval(*scope) (value, error) { return l.value, nil }

func (p *param) eval(c *scope) (value, error) {
	if p.n >= len(c.x.params) {
		return value{}, errMalformed
	}
	return c.x.params[p.n], nil
}

func (r *columnRef) eval(c *scope) (value, error) {
	row := c.row
	if r.fresh && c.fresh != nil {
		row = c.fresh
	}
	if c.table == nil {
		return value{}, errNoColumn(r.name, "field list")
	}
	i := c.table.column(r.name)
	if i < 0 || row == nil || r.table != "" && !strings.EqualFold(r.table, c.table.name) {
		return value{}, errNoColumn(r.name, "field list")
	}
	return row[i], nil
}

func (v *variable) eval(c *scope) (value, error) {
	if v.global {
		return c.x.session.initial(v.name)
	}
	return c.x.session.variable(v.name)
}

func (u *prefixed) eval(c *scope) (value, error) {
	v, err := u.x.eval(c)
	switch {
	case err != nil || v.kind == null:
		return value{}, err
	case u.op == "not":
		return boolValue(!v.isTrue()), nil
	case v.kind == integer:
		return wholeNumbers("-", 0, v.i)
	}
	return value{kind: float, f: -v.number()}, nil
}

func (n *isNull) eval(c *scope) (value, error) {
	v, err := n.x.eval(c)
	return boolValue((v.kind == null) != n.not), err
}

func (l *inList) eval(c *scope) (value, error) {
	v, err := l.x.eval(c)
	if err != nil || v.kind == null {
		return value{}, err
	}
	unknown := false
	for _, e := range l.list {
		o, err := e.eval(c)
		switch {
		case err != nil:
			return value{}, err
		case o.kind == null:
			unknown = true
		case compare(v, o) == 0:
			return boolValue(!l.not), nil
		}
	}
	if unknown {
		return value{}, nil
	}
	return boolValue(l.not), nil
}

func (b *between) eval(c *scope) (value, error) {
	var v [3]value
	for i, e := range b.parts() {
		var err error
		if v[i], err = e.eval(c); err != nil {
			return value{}, err
		}
	}
	above, err := operate(">=", v[0], v[1])
	if err != nil || above.kind != null && !above.isTrue() {
		return above, err
	}
	below, err := operate("<=", v[0], v[2])
	if err != nil {
		return value{}, err
	}
	return operate("and", above, below)
}

func (b *operation) eval(c *scope) (value, error) {
	left, err := b.a.eval(c)
	if err != nil {
		return value{}, err
	}
	switch {
	case b.op == "and" && left.kind != null && !left.isTrue():
		return boolValue(false), nil
	case b.op == "or" && left.isTrue():
		return boolValue(true), nil
	}
	right, err := b.b.eval(c)
	if err != nil {
		return value{}, err
	}
	return operate(b.op, left, right)
}

// operate is an operator with two operands.
func operate(op string, a, b value) (value, error) {
	unknown := a.kind == null || b.kind == null
	switch {
	case op == "<=>":
		return boolValue(unknown && a.kind == b.kind || !unknown && compare(a, b) == 0), nil
	case op == "and" && b.kind != null && !b.isTrue():
		return boolValue(false), nil
	case op == "or" && b.isTrue():
		return boolValue(true), nil
	case unknown:
		return value{}, nil
	}
	switch op {
	case "and":
		return boolValue(true), nil // neither is false
	case "or":
		return boolValue(false), nil
	case "xor":
		return boolValue(a.isTrue() != b.isTrue()), nil
	}
	if holds, compares := comparison(op, a, b); compares {
		return boolValue(holds), nil
	}
	return calculate(op, a, b)
}

// comparison is an operator that compares, if it is one.
func comparison(op string, a, b value) (holds, is bool) {
	switch op {
	case "=":
		return compare(a, b) == 0, true
	case "<>":
		return compare(a, b) != 0, true
	case "<":
		return compare(a, b) < 0, true
	case "<=":
		return compare(a, b) <= 0, true
	case ">":
		return compare(a, b) > 0, true
	case ">=":
		return compare(a, b) >= 0, true
	}
	return false, false
}

// calculate is an operation on numbers. NULL is the result of a division by zero.
func calculate(op string, a, b value) (value, error) {
	whole := a.kind == integer && b.kind == integer
	switch {
	case b.number() == 0 && (op == "/" || op == "div" || op == "%"):
		return value{}, nil
	case whole && op != "/":
		return wholeNumbers(op, a.i, b.i)
	case op == "div":
		n, fits := value{kind: float, f: math.Trunc(a.number() / b.number())}.rounded()
		return ranged(intValue(n), fits, "BIGINT")
	}
	f := a.number()
	switch op {
	case "+":
		f += b.number()
	case "-":
		f -= b.number()
	case "*":
		f *= b.number()
	case "/":
		f /= b.number()
	default:
		f = math.Mod(f, b.number())
	}
	return ranged(value{kind: float, f: f}, !math.IsInf(f, 0) && !math.IsNaN(f), "DOUBLE")
}

// wholeNumbers is an operation on integers.
func wholeNumbers(op string, a, b int64) (value, error) {
	switch op {
	case "+":
		return ranged(intValue(a+b), (a+b > a) == (b > 0), "BIGINT")
	case "-":
		return ranged(intValue(a-b), (a-b < a) == (b > 0), "BIGINT")
	case "*":
		n := a * b
		return ranged(intValue(n), a == 0 || n/a == b && !(a == -1 && b == math.MinInt64), "BIGINT")
	case "div":
		return ranged(intValue(a/b), a != math.MinInt64 || b != -1, "BIGINT")
	}
	return intValue(a % b), nil
}

// ranged is a result if it is in the range of its type.
func ranged(v value, is bool, name string) (value, error) {
	if !is {
		return value{}, fail(1690, "22003", "%s value is out of range", name)
	}
	return v, nil
}

// units are those of intervals.
var units = map[string]time.Duration{
	"microsecond": time.Microsecond, "second": time.Second, "minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour,
	"week": 7 * 24 * time.Hour,
}

func (s *shift) eval(c *scope) (value, error) {
	v, err := s.x.eval(c)
	if err != nil {
		return value{}, err
	}
	n, err := s.n.eval(c)
	if err != nil || v.kind == null || n.kind == null {
		return value{}, err
	}
	if v.kind != moment {
		if v = parseMoment(v.String()); v.kind == null {
			return v, nil
		}
	}
	micros, fits := value{kind: float, f: n.number() * float64(s.unit.Microseconds())}.rounded()
	if s.unit == time.Microsecond {
		micros, fits = n.rounded()
	}
	if s.back {
		micros = -micros
	}
	if v.i += micros; !fits || max(micros, -micros) > lastMoment || v.i < firstMoment || v.i > lastMoment {
		return value{}, nil
	}
	if v.i%1e6 != 0 {
		v.decimals = 6
	}
	return v, nil
}

// aggregates are the functions of all rows.
var aggregates = []string{"count", "min", "max", "sum"}

func isAggregate(e expr) bool { _, is := e.(*aggregate); return is }

// hasAggregate reports whether an expression is an aggregate of another.
func hasAggregate(e expr) bool {
	a, is := e.(*aggregate)
	return is && anyPart(a.x, isAggregate)
}

// dependsOnRow reports whether an expression has a column outside of aggregates.
func dependsOnRow(e expr) bool {
	switch e.(type) {
	case *aggregate:
		return false
	case *columnRef:
		return true
	}
	return slices.ContainsFunc(e.parts(), dependsOnRow)
}

func (a *aggregate) eval(c *scope) (value, error) {
	var sum value
	count := int64(0)
	for _, row := range c.rows {
		if a.x == nil {
			count++
			continue
		}
		one := *c
		one.row, one.rows = row, nil
		v, err := a.x.eval(&one)
		switch {
		case err != nil:
			return value{}, err
		case v.kind == null:
			continue
		case count == 0:
			sum = v
		case a.name == "sum":
			if sum, err = calculate("+", sum, v); err != nil {
				return value{}, err
			}
		case a.name == "min" && compare(v, sum) < 0, a.name == "max" && compare(v, sum) > 0:
			sum = v
		}
		count++
	}
	if a.name == "count" {
		return intValue(count), nil
	}
	return sum, nil
}
