package types

// Operator is an operator with real types of its operands; Left is Invalid for one before its operand. An operand of
// another type is cast to it first. With Strict, the result is NULL if an operand is, and Apply is not called then.
type Operator struct {
	Name                string
	Left, Right, Result OID
	Strict              bool
	Apply               func(args []Value) (Value, error)
}

// Function is a pure function with real types. With Variadic, the last of Args is the type of every argument from there
// on, each passed by itself. Arguments of other types are cast first.
type Function struct {
	Name     string
	Args     []OID
	ArgNames []string
	Result   OID
	Variadic bool
	Strict   bool
	Apply    func(args []Value) (Value, error)
}

// FindOperator finds the operator for two types of operands (left Invalid for an operator before its operand).
// UnknownOID stands for a literal or a parameter that has no type yet. The error is 42883 or 42725.
func FindOperator(op string, left, right OID) (*Operator, error) { panic("not yet") }

// FindFunction finds a pure function by its name and the types of the arguments. The error is 42883 or 42725.
func FindFunction(name string, args []OID) (*Function, error) { panic("not yet") }

// FindNamed is FindFunction for a call whose arguments have names, "" for one that has none. Order says for each
// parameter which of the arguments it takes, or -1 for its default, which Defaults then has.
func FindNamed(name string, args []OID, names []string) (f *Function, order []int, defaults []Value, err error) {
	panic("not yet")
}

// IsFunction reports whether any function here has the name.
func IsFunction(name string) bool { panic("not yet") }

// Context says where a cast is applied, each including those before it.
type Context int

// The contexts of casts.
const (
	Implicit Context = iota
	Assignment
	Explicit
)

// Cast converts a value that is not NULL. The modifier is that of the target, -1 for none.
type Cast struct {
	From, To OID
	// Same is set if values of both types are alike, so that nothing is to be done without a modifier.
	Same  bool
	Apply func(v Value, mod int32) (Value, error)
}

// FindCast finds the cast from one type to another, or nil if there is none in the context. From a type to itself it
// applies the modifier. From UnknownOID it is the type's input function. Casts to enumerations and from texts to reg
// types are the executor's.
func FindCast(from, to OID, context Context) *Cast { panic("not yet") }

// CommonType finds the type of a construct of several expressions, as UNION, CASE, ARRAY or COALESCE, which names it in
// the error 42804.
func CommonType(construct string, ts []OID) (OID, error) { panic("not yet") }

// Lookup finds a type by its name in pg_type, as int4, or _int4 for an array.
func Lookup(name string) (OID, bool) { panic("not yet") }

// Name returns the name of a type as messages have it: integer, text[], timestamp with time zone.
func Name(t OID) string { panic("not yet") }

// NameWithMod returns the name with the modifier, as character varying(10).
func NameWithMod(t OID, mod int32) string { panic("not yet") }

// InternalName returns the name in pg_type: int4, _text, timestamptz.
func InternalName(t OID) string { panic("not yet") }

// Mod makes the modifier of a type from what is in parentheses after its name, -1 for none.
func Mod(t OID, mods []int32) (int32, error) { panic("not yet") }

// Size returns the size in pg_type: 4 for int4, -1 for a variable one.
func Size(t OID) int16 { panic("not yet") }

// ElemOf returns the type of an array's elements, and Invalid for a type that is no array.
func ElemOf(t OID) OID { panic("not yet") }

// ArrayOf returns the array of a type, or Invalid if there is none.
func ArrayOf(t OID) OID { panic("not yet") }

// IsEnum reports whether a type is an enumeration that a database defined.
func IsEnum(t OID) bool { return t >= FirstEnum && t%2 == 0 }

// Known reports whether a type exists here.
func Known(t OID) bool { panic("not yet") }
