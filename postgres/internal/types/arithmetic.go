package types

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

func overflow() error {
	return pgerror.New(pgerror.NumericValueOutOfRange, "value out of range: overflow")
}

func underflow() error {
	return pgerror.New(pgerror.NumericValueOutOfRange, "value out of range: underflow")
}

// intMath are the operators of two integers of any sizes, whose result has the larger size. They report an overflow.
var intMath = map[string]func(a, b int64) (int64, bool){
	"+": func(a, b int64) (int64, bool) { return a + b, (a+b > a) == (b > 0) },
	"-": func(a, b int64) (int64, bool) { return a - b, (a-b < a) == (b > 0) },
	"*": multiplyInts,
	"/": func(a, b int64) (int64, bool) { return a / b, a != math.MinInt64 || b != -1 },
}

func multiplyInts(a, b int64) (int64, bool) {
	abs := func(n int64) uint64 {
		if n < 0 {
			return -uint64(n)
		}
		return uint64(n)
	}
	high, low := bits.Mul64(abs(a), abs(b))
	if (a < 0) != (b < 0) {
		return -int64(low), high == 0 && low <= 1<<63
	}
	return int64(low), high == 0 && low < 1<<63
}

func intOperators() {
	ints := []OID{Int2OID, Int4OID, Int8OID}
	for i, left := range ints {
		for j, right := range ints {
			result := ints[max(i, j)]
			for name, f := range intMath { // unordered: each name is declared once for the types
				op(name, []OID{left, right}, result, func(a []Value) (Value, error) {
					x, y := a[0].(int64), a[1].(int64)
					if name == "/" && y == 0 {
						return nil, divisionByZero()
					}
					return checkInt(result, x, y, f)
				})
			}
		}
		sameInt(left)
	}
}

// checkInt calculates and checks the range.
func checkInt(t OID, x, y int64, f func(a, b int64) (int64, bool)) (Value, error) {
	n, ok := f(x, y)
	if !ok || !fitsInt(t, n) {
		return nil, outOfRange(Name(t))
	}
	return n, nil
}

// sameInt declares the operators and functions of integers of one size.
func sameInt(t OID) {
	binary := func(name string, right OID, f func(a, b int64) int64) {
		op(name, []OID{t, right}, t, func(a []Value) (Value, error) {
			n := f(a[0].(int64), a[1].(int64))
			return cutInt(t, n), nil
		})
	}
	binary("&", t, func(a, b int64) int64 { return a & b })
	binary("|", t, func(a, b int64) int64 { return a | b })
	binary("#", t, func(a, b int64) int64 { return a ^ b })
	size := int64(Size(t)) * 8
	mask := max(size, 32) - 1 // shifts of smallint are those of integer in C
	binary("<<", Int4OID, func(a, b int64) int64 { return a << (b & mask) })
	binary(">>", Int4OID, func(a, b int64) int64 { return a >> (b & mask) })
	mod := func(a []Value) (Value, error) {
		x, y := a[0].(int64), a[1].(int64)
		switch y {
		case 0:
			return nil, divisionByZero()
		case -1:
			return int64(0), nil
		}
		return x % y, nil
	}
	op("%", pair(t), t, mod)
	fn("mod", pair(t), t, mod)
	one := []OID{t}
	negate := func(a []Value) (Value, error) {
		return checkInt(t, 0, a[0].(int64), func(x, y int64) (int64, bool) { return x - y, y != math.MinInt64 })
	}
	abs := func(a []Value) (Value, error) {
		if a[0].(int64) < 0 {
			return negate(a)
		}
		return a[0], nil
	}
	op("-", one, t, negate)
	op("+", one, t, func(a []Value) (Value, error) { return a[0], nil })
	op("~", one, t, func(a []Value) (Value, error) { return ^a[0].(int64), nil })
	op("@", one, t, abs)
	fn("abs", one, t, abs)
}

// cutInt keeps the bytes that a type has.
func cutInt(t OID, n int64) int64 {
	switch t {
	case Int2OID:
		return int64(int16(n))
	case Int4OID:
		return int64(int32(n))
	}
	return n
}

func floatOperators() {
	floats := []OID{Float4OID, Float8OID}
	for i, left := range floats {
		for j, right := range floats {
			result := floats[max(i, j)]
			for name, f := range map[string]func(a, b float64) float64{ // unordered: each name is declared once for the types
				"+": func(a, b float64) float64 { return a + b },
				"-": func(a, b float64) float64 { return a - b },
				"*": func(a, b float64) float64 { return a * b },
				"/": func(a, b float64) float64 { return a / b },
			} {
				op(name, []OID{left, right}, result, func(args []Value) (Value, error) {
					return checkFloat(result, name, args[0].(float64), args[1].(float64), f)
				})
			}
		}
		t := left
		abs := func(a []Value) (Value, error) { return math.Abs(a[0].(float64)), nil }
		op("-", []OID{t}, t, func(a []Value) (Value, error) { return -a[0].(float64), nil })
		op("+", []OID{t}, t, func(a []Value) (Value, error) { return a[0], nil })
		op("@", []OID{t}, t, abs)
		fn("abs", []OID{t}, t, abs)
	}
	op("^", pair(Float8OID), Float8OID, power)
	fn("power", pair(Float8OID), Float8OID, power)
	fn("pow", pair(Float8OID), Float8OID, power)
}

// checkFloat calculates and checks for overflow and underflow.
func checkFloat(t OID, name string, a, b float64, f func(a, b float64) float64) (Value, error) {
	if name == "/" && b == 0 && !math.IsNaN(a) {
		return nil, divisionByZero()
	}
	r := f(a, b)
	if t == Float4OID {
		r = float64(float32(r))
	}
	switch {
	case math.IsInf(r, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0):
		return nil, overflow()
	case r == 0 && (name == "*" && a != 0 && b != 0 || name == "/" && a != 0 && !math.IsInf(b, 0)):
		return nil, underflow()
	}
	return r, nil
}

func power(a []Value) (Value, error) {
	x, y := a[0].(float64), a[1].(float64)
	switch {
	case x == 0 && y < 0:
		return nil, pgerror.New("2201F", "zero raised to a negative power is undefined")
	case x < 0 && y != math.Trunc(y) && !math.IsInf(x, 0):
		return nil, pgerror.New("2201F", "a negative number raised to a non-integer power yields a complex result")
	}
	return checkFloat(Float8OID, "^", x, y, math.Pow)
}

func numericOperators() {
	two, one := pair(NumericOID), []OID{NumericOID}
	op("+", two, NumericOID, func(a []Value) (Value, error) { return addNumeric(a[0].(Numeric), a[1].(Numeric), 1), nil })
	op("-", two, NumericOID, func(a []Value) (Value, error) { return addNumeric(a[0].(Numeric), a[1].(Numeric), -1), nil })
	op("*", two, NumericOID, func(a []Value) (Value, error) { return multiplyNumeric(a[0].(Numeric), a[1].(Numeric)), nil })
	op("/", two, NumericOID, func(a []Value) (Value, error) { return divideNumeric(a[0].(Numeric), a[1].(Numeric)) })
	mod := func(a []Value) (Value, error) { return modNumeric(a[0].(Numeric), a[1].(Numeric)) }
	op("%", two, NumericOID, mod)
	fn("mod", two, NumericOID, mod)
	op("^", two, NumericOID, nil).lacking("powers of numeric")
	fn("power", two, NumericOID, nil).lacking("powers of numeric")
	fn("pow", two, NumericOID, nil).lacking("powers of numeric")
	op("-", one, NumericOID, func(a []Value) (Value, error) { return a[0].(Numeric).negated(), nil })
	op("+", one, NumericOID, func(a []Value) (Value, error) { return a[0], nil })
	abs := func(a []Value) (Value, error) {
		if n := a[0].(Numeric); n.Sign() < 0 {
			return n.negated(), nil
		}
		return a[0], nil
	}
	op("@", one, NumericOID, abs)
	fn("abs", one, NumericOID, abs)
	roundFunctions()
}

// lacking makes a function one that is refused when it is called.
func (f *Function) lacking(what string) {
	f.Apply = func([]Value) (Value, error) { return nil, pgerror.Lacks("%s", what) }
}

// roundFunctions declares the functions that round.
func roundFunctions() {
	one := []OID{NumericOID}
	digits := func(v Value) int { return int(min(max(v.(int64), -maxScale), maxScale)) }
	fn("floor", one, NumericOID, func(a []Value) (Value, error) { return a[0].(Numeric).floor(false), nil })
	fn("round", one, NumericOID, func(a []Value) (Value, error) { return a[0].(Numeric).rounded(0), nil })
	fn("round", []OID{NumericOID, Int4OID}, NumericOID, func(a []Value) (Value, error) { return a[0].(Numeric).rounded(digits(a[1])), nil })
	fn("trunc", one, NumericOID, func(a []Value) (Value, error) { return a[0].(Numeric).truncated(0), nil })
	fn("trunc", []OID{NumericOID, Int4OID}, NumericOID, func(a []Value) (Value, error) {
		n, scale := a[0].(Numeric), digits(a[1])
		if n.Special == 0 && scale > n.Scale {
			return n.rounded(scale), nil
		}
		return n.truncated(scale), nil
	})
	fn("sign", one, NumericOID, func(a []Value) (Value, error) {
		if n := a[0].(Numeric); n.Special == 'n' {
			return n, nil
		}
		return NewNumeric(int64(a[0].(Numeric).Sign())), nil
	})
	for _, name := range []string{"ceil", "ceiling"} {
		fn(name, one, NumericOID, func(a []Value) (Value, error) { return a[0].(Numeric).floor(true), nil })
		fn(name, []OID{Float8OID}, Float8OID, func(a []Value) (Value, error) { return math.Ceil(a[0].(float64)), nil })
	}
	floats := map[string]func(float64) float64{"floor": math.Floor, "round": math.RoundToEven, "trunc": math.Trunc}
	for name, f := range floats { // unordered: each name is declared once
		fn(name, []OID{Float8OID}, Float8OID, func(a []Value) (Value, error) { return f(a[0].(float64)), nil })
	}
	fn("sign", []OID{Float8OID}, Float8OID, func(a []Value) (Value, error) {
		return float64(compareFloats(a[0].(float64), 0)), nil
	})
	fn("sqrt", []OID{Float8OID}, Float8OID, func(a []Value) (Value, error) {
		if a[0].(float64) < 0 {
			return nil, pgerror.New("2201F", "cannot take square root of a negative number")
		}
		return math.Sqrt(a[0].(float64)), nil
	})
	fn("div", pair(NumericOID), NumericOID, func(a []Value) (Value, error) {
		x, y := a[0].(Numeric), a[1].(Numeric)
		if x.Special != 0 || y.Special != 0 {
			return nil, pgerror.Lacks("div of NaN and infinity")
		}
		if y.Sign() == 0 {
			return nil, divisionByZero()
		}
		scale := max(x.Scale, y.Scale)
		return Numeric{Unscaled: new(big.Int).Quo(x.unscaled(scale), y.unscaled(scale))}, nil
	})
}
