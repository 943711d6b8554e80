package sql

import "math"

// negative returns a value with the other sign; NULL stays NULL.
func negative(v Value) (Value, error) {
	switch v.Kind {
	case Null:
		return v, nil
	case Integer:
		return wholeNumbers("-", 0, v.Int)
	}
	return Value{Kind: Float, Float: -v.Number()}, nil
}

// operate applies an operator to two operands.
func (c Collation) operate(op string, a, b Value) (Value, error) {
	unknown := a.Kind == Null || b.Kind == Null
	switch {
	case op == "<=>":
		return BoolValue(unknown && a.Kind == b.Kind || !unknown && c.Compare(a, b) == 0), nil
	case op == "and" && b.Kind != Null && !b.IsTrue():
		return BoolValue(false), nil
	case op == "or" && b.IsTrue():
		return BoolValue(true), nil
	case unknown:
		return Value{}, nil
	}
	switch op {
	case "and":
		return BoolValue(true), nil // neither is false
	case "or":
		return BoolValue(false), nil
	case "xor":
		return BoolValue(a.IsTrue() != b.IsTrue()), nil
	case "like":
		return BoolValue(c.Like(a.String(), b.String())), nil
	}
	if holds, compares := c.comparison(op, a, b); compares {
		return BoolValue(holds), nil
	}
	return calculate(op, a, b)
}

// comparison applies an operator if it compares; is is false if it does not.
func (c Collation) comparison(op string, a, b Value) (holds, is bool) {
	switch op {
	case "=":
		return c.Compare(a, b) == 0, true
	case "<>":
		return c.Compare(a, b) != 0, true
	case "<":
		return c.Compare(a, b) < 0, true
	case "<=":
		return c.Compare(a, b) <= 0, true
	case ">":
		return c.Compare(a, b) > 0, true
	case ">=":
		return c.Compare(a, b) >= 0, true
	}
	return false, false
}

// calculate returns an operation on numbers. NULL is the result of a division by zero.
func calculate(op string, a, b Value) (Value, error) {
	whole := a.Kind == Integer && b.Kind == Integer
	switch {
	case b.Number() == 0 && (op == "/" || op == "div" || op == "%"):
		return Value{}, nil
	case whole && op != "/":
		return wholeNumbers(op, a.Int, b.Int)
	case op == "div":
		n, fits := Value{Kind: Float, Float: math.Trunc(a.Number() / b.Number())}.rounded()
		return ranged(IntValue(n), fits, "BIGINT")
	}
	f := a.Number()
	switch op {
	case "+":
		f += b.Number()
	case "-":
		f -= b.Number()
	case "*":
		f *= b.Number()
	case "/":
		f /= b.Number()
	default:
		f = math.Mod(f, b.Number())
	}
	return ranged(Value{Kind: Float, Float: f}, !math.IsInf(f, 0) && !math.IsNaN(f), "DOUBLE")
}

// wholeNumbers returns an operation on integers.
func wholeNumbers(op string, a, b int64) (Value, error) {
	switch op {
	case "+":
		return ranged(IntValue(a+b), (a+b > a) == (b > 0), "BIGINT")
	case "-":
		return ranged(IntValue(a-b), (a-b < a) == (b > 0), "BIGINT")
	case "*":
		n := a * b
		return ranged(IntValue(n), a == 0 || n/a == b && !(a == -1 && b == math.MinInt64), "BIGINT")
	case "div":
		return ranged(IntValue(a/b), a != math.MinInt64 || b != -1, "BIGINT")
	}
	return IntValue(a % b), nil
}

// ranged returns a result if it is in the range of its type.
func ranged(v Value, is bool, name string) (Value, error) {
	if !is {
		return Value{}, Fail(NotInType, name)
	}
	return v, nil
}
