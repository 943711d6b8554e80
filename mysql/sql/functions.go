package sql

import (
	"math"
	"strings"
)

// Function is a function of SQL. It gets the values of its arguments.
type Function struct {
	Least, Most int // arguments
	// Eval returns the function's value. If it has to wait, the error is ErrWait, and it is called
	// again later.
	Eval func(x *Execution, args []Value) (Value, error)
	// Effect is set if the function may wait, or has an effect. It is then evaluated once in a
	// statement, and not with rows of a table.
	Effect bool
	// Clock is set if the function returns the present time, which columns may have as
	// their default.
	Clock bool
}

// Arguments returns how many arguments the function takes.
func (f *Function) Arguments() (least, most int) { return f.Least, f.Most }

// HasEffect reports whether it may wait, or has an effect.
func (f *Function) HasEffect() bool { return f.Effect }

// IsClock reports whether the function returns the present time.
func (f *Function) IsClock() bool { return f.Clock }

// StandardFunctions returns the functions that all dialects have, for [Grammar.Functions].
func StandardFunctions() map[string]Callable {
	return map[string]Callable{
		"coalesce": &Function{Least: 1, Most: 20, Eval: coalesce},
		"nullif":   &Function{Least: 2, Most: 2, Eval: nullIf},
		"lower":    &Function{Least: 1, Most: 1, Eval: onText(strings.ToLower)},
		"upper":    &Function{Least: 1, Most: 1, Eval: onText(strings.ToUpper)},
		"abs":      &Function{Least: 1, Most: 1, Eval: absolute},
	}
}

func coalesce(_ *Execution, args []Value) (Value, error) {
	for _, v := range args {
		if v.Kind != Null {
			return v, nil
		}
	}
	return Value{}, nil
}

func nullIf(x *Execution, args []Value) (Value, error) {
	if args[0].Kind != Null && args[1].Kind != Null && x.session.db.dialect.Collation.Compare(args[0], args[1]) == 0 {
		return Value{}, nil
	}
	return args[0], nil
}

func onText(f func(string) string) func(*Execution, []Value) (Value, error) {
	return func(_ *Execution, args []Value) (Value, error) {
		if args[0].Kind == Null {
			return Value{}, nil
		}
		return TextValue(f(args[0].String())), nil
	}
}

func absolute(_ *Execution, args []Value) (Value, error) {
	switch v := args[0]; v.Kind {
	case Null:
		return v, nil
	case Integer:
		if v.Int < 0 {
			return negative(v)
		}
		return v, nil
	default:
		return Value{Kind: Float, Float: math.Abs(v.Number())}, nil
	}
}
