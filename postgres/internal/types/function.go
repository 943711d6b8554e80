package types

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// Operator is an operator with real types of its operands; Left is Invalid for one before its operand. An operand of
// another type is cast to it first. With Strict, the result is NULL if an operand is, and Apply is not called then.
type Operator struct {
	Name                string
	Left, Right, Result OID
	Strict              bool
	Apply               func(args []Value) (Value, error)
}

// Function is a pure function with real types. With Variadic, the last of Args is the type of every argument from there
// on, each passed by itself. Arguments of other types are cast first. An argument of type AnyOID is passed as it is.
type Function struct {
	Name string
	Args []OID
	// ArgNames has names of the parameters, for calls that use them, and Defaults the values of the last of them.
	ArgNames []string
	Defaults []Value
	Result   OID
	Variadic bool
	Strict   bool
	Apply    func(args []Value) (Value, error)

	// bind makes Apply for the types of the arguments, of a function with polymorphic types.
	bind func(args []OID) func([]Value) (Value, error)
}

// operators and functions are those of the package, by name.
var (
	operators = map[string][]*Function{}
	functions = map[string][]*Function{}
)

// fn declares a strict function.
func fn(name string, args []OID, result OID, apply func(args []Value) (Value, error)) *Function {
	f := &Function{Name: name, Args: args, Result: result, Strict: true, Apply: apply}
	functions[name] = append(functions[name], f)
	return f
}

// op declares a strict operator of one or two operands.
func op(name string, args []OID, result OID, apply func(args []Value) (Value, error)) *Function {
	f := &Function{Name: name, Args: args, Result: result, Strict: true, Apply: apply}
	operators[name] = append(operators[name], f)
	return f
}

// FindOperator finds the operator for two types of operands (left Invalid for an operator before its operand).
// UnknownOID stands for a literal or a parameter that has no type yet. The error is 42883 or 42725.
func FindOperator(name string, left, right OID) (*Operator, error) {
	args := []OID{left, right}
	if left == Invalid {
		args = args[1:]
	}
	candidates := slices.DeleteFunc(slices.Clone(operators[name]), func(f *Function) bool { return len(f.Args) != len(args) })
	f := exactOperator(candidates, args)
	ambiguous := false
	if f == nil {
		f, ambiguous = resolve(candidates, args)
	}
	if f == nil {
		return nil, noOperator(name, left, right, ambiguous)
	}
	o := &Operator{Name: name, Right: f.Args[len(f.Args)-1], Result: f.Result, Strict: f.Strict, Apply: f.Apply}
	if left != Invalid {
		o.Left = f.Args[0]
	}
	return o, nil
}

// exactOperator finds an operator with exactly these operands, an unknown one being taken for the other's type.
func exactOperator(candidates []*Function, args []OID) *Function {
	if len(args) == 2 {
		switch {
		case args[0] == UnknownOID:
			args = []OID{args[1], args[1]}
		case args[1] == UnknownOID:
			args = []OID{args[0], args[0]}
		}
	}
	for _, f := range candidates {
		if slices.Equal(f.Args, args) {
			return f
		}
	}
	return nil
}

// lackingOperators are operators of PostgreSQL that are not here.
const lackingOperators = " @? @@ ^@ |/ ||/ *= *<> *< *> *<= *>= ~<~ ~<=~ ~>~ ~>=~ !! &< &> -|- <-> <^ >^ ?# ?- ?-| ?| ?|| |>> <<| |&> &<| <<= >>= ~= ## @-@ ** "

func noOperator(name string, left, right OID, ambiguous bool) error {
	signature := name + " " + Name(right)
	if left != Invalid {
		signature = Name(left) + " " + signature
	}
	switch {
	case ambiguous:
		return pgerror.New(pgerror.AmbiguousFunction, "operator is not unique: %s", signature).
			WithHint("Could not choose a best candidate operator. You might need to add explicit type casts.")
	case strings.Contains(lackingOperators, " "+name+" "):
		return pgerror.Lacks("the operator %s", signature)
	}
	err := pgerror.New(pgerror.UndefinedFunction, "operator does not exist: %s", signature)
	if left == Invalid {
		return err.WithHint("No operator matches the given name and argument type. You might need to add an explicit type cast.")
	}
	return err.WithHint("No operator matches the given name and argument types. You might need to add explicit type casts.")
}

// FindFunction finds a pure function by its name and the types of the arguments. The error is 42883 or 42725.
func FindFunction(name string, args []OID) (*Function, error) {
	return Resolve(name, functions[name], args)
}

// Resolve chooses among functions of a name, as PostgreSQL does by the types of the arguments. A name of a type is a
// cast to it, if no function has exactly the arguments.
func Resolve(name string, candidates []*Function, args []OID) (*Function, error) {
	for _, f := range candidates {
		if !f.Variadic && slices.Equal(f.Args, args) {
			return f.bound(args), nil
		}
	}
	if f := castFunction(name, args); f != nil {
		return f, nil
	}
	f, ambiguous := resolve(candidates, args)
	switch {
	case f != nil:
		return f, nil
	case !ambiguous && lacksType(candidates, args):
		return nil, pgerror.New(pgerror.DatatypeMismatch, "could not determine polymorphic type because input has type unknown")
	}
	return nil, noFunction(name, args, nil, ambiguous)
}

// lacksType reports whether a function would fit if arguments of unknown type were texts.
func lacksType(candidates []*Function, args []OID) bool {
	texts := slices.Clone(args)
	for i, t := range texts {
		if t == UnknownOID {
			texts[i] = TextOID
		}
	}
	return slices.ContainsFunc(candidates, func(f *Function) bool {
		f = f.expanded(len(args))
		return f != nil && (f.accepts(texts) || f.accepts(arraysOf(texts, args))) && !slices.Equal(texts, args)
	})
}

// arraysOf makes the types that were unknown arrays.
func arraysOf(texts, args []OID) []OID {
	arrays := slices.Clone(texts)
	for i, t := range args {
		if t == UnknownOID {
			arrays[i] = TextArrayOID
		}
	}
	return arrays
}

// castFunction makes a cast of a call of a type's name.
func castFunction(name string, args []OID) *Function {
	t, ok := Lookup(name)
	if !ok || len(args) != 1 {
		return nil
	}
	cast := FindCast(args[0], t, Explicit)
	if cast == nil {
		return nil
	}
	return &Function{Name: name, Args: args, Result: t, Strict: true, Apply: func(args []Value) (Value, error) { return cast.Apply(args[0], -1) }}
}

// FindNamed is FindFunction for a call whose arguments have names, "" for one that has none. Order says for each
// parameter which of the arguments it takes, or -1 for its default.
func FindNamed(name string, args []OID, names []string) (f *Function, order []int, err error) {
	for _, f := range functions[name] {
		order, ok := f.arrange(args, names)
		if !ok {
			continue
		}
		types := slices.Clone(f.Args)
		for i, from := range order {
			if from >= 0 {
				types[i] = args[from]
			}
		}
		if found, _ := resolve([]*Function{f}, types); found != nil {
			return found, order, nil
		}
	}
	return nil, nil, noFunction(name, args, names, false)
}

// arrange finds the arguments of the parameters by their names.
func (f *Function) arrange(args []OID, names []string) ([]int, bool) {
	order := make([]int, len(f.Args))
	for i := range order {
		order[i] = -1
	}
	for i := range args {
		at := i
		if i < len(names) && names[i] != "" {
			at = slices.Index(f.ArgNames, names[i])
		}
		if at < 0 || at >= len(order) || order[at] >= 0 {
			return nil, false
		}
		order[at] = i
	}
	for i, from := range order {
		if from < 0 && i < len(f.Args)-len(f.Defaults) {
			return nil, false
		}
	}
	return order, true
}

// Default returns the default of a parameter.
func (f *Function) Default(parameter int) Value {
	return f.Defaults[parameter-(len(f.Args)-len(f.Defaults))]
}

// noFunction is the error about a call that no function fits.
func noFunction(name string, args []OID, names []string, ambiguous bool) error {
	var list []string
	for i, t := range args {
		text := Name(t)
		if i < len(names) && names[i] != "" {
			text = names[i] + " => " + text
		}
		list = append(list, text)
	}
	signature := name + "(" + strings.Join(list, ", ") + ")"
	switch {
	case ambiguous:
		return pgerror.New(pgerror.AmbiguousFunction, "function %s is not unique", signature).
			WithHint("Could not choose a best candidate function. You might need to add explicit type casts.")
	case isLacking(name):
		return pgerror.Lacks("the function %s", signature)
	}
	return pgerror.New(pgerror.UndefinedFunction, "function %s does not exist", signature).
		WithHint("No function matches the given name and argument types. You might need to add explicit type casts.")
}
