package models

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// step is what one operation does to a state: whether the answer is legal, and the state after it. The
// state must not be changed.
type step[S any] func(state S, op, answer any) (legal bool, next S)

// state is a state, in a struct so that nil is a value like others.
type state[S any] struct{ is S }

// object makes a model. Same compares states.
func object[S any](initial S, same func(a, b S) bool, show func(S) string, do step[S]) porcupine.Model {
	return porcupine.Model{
		Init:  func() any { return state[S]{initial} },
		Equal: func(a, b any) bool { return same(a.(state[S]).is, b.(state[S]).is) },
		Step: func(now, op, answer any) (bool, any) {
			legal, next := do(now.(state[S]).is, op, answer)
			return legal, state[S]{next}
		},
		DescribeState:     func(now any) string { return show(now.(state[S]).is) },
		DescribeOperation: describe,
	}
}

// Any is an answer that is not known. Rules use it for operations that have not returned.
type Any struct{}

// describe is an operation with its answer in words.
func describe(op, answer any) string {
	switch answer {
	case nil, Any{}:
		return fmt.Sprint(op)
	case true:
		return fmt.Sprintf("%v -> done", op)
	case false:
		return fmt.Sprintf("%v -> refused", op)
	}
	return fmt.Sprintf("%v -> %v", op, answer)
}

// value is a value as models compare it: an integer of any type is an int64. It panics if it is none that
// == compares.
func value(op, v any) any {
	r := reflect.ValueOf(v)
	switch {
	case v == nil:
		return nil
	case r.CanInt():
		return r.Int()
	case r.CanUint() && r.Uint() <= math.MaxInt64:
		return int64(r.Uint())
	case !r.Comparable():
		panic(fmt.Sprintf("models: %T has the value %v, a %T, which == cannot compare: use a string or a number", op, v, v))
	}
	return v
}

// values checks several values.
func values(op any, list []any) (all []any) {
	for _, v := range list {
		if v := value(op, v); !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}

// is reports whether an answer equals a value, or is unknown and may equal it.
func is(op, answer, want any) bool { return answer == Any{} || value(op, answer) == want }

// nothing reports whether an answer is nil or unknown, for an operation without an
// answer.
func nothing(op, answer any) bool {
	if answer != nil && answer != (Any{}) {
		panic(fmt.Sprintf("models: the answer to %v is %v, a %T: it has none, so want nil", op, answer, answer))
	}
	return true
}

// amount returns a number, and panics if it is negative.
func amount(op any, n int64) int64 {
	if n < 0 {
		panic(fmt.Sprintf("models: %v is of a negative number", op))
	}
	return n
}

// unknown returns the message about an operation that a model does not have.
func unknown(model string, op any, known ...string) string {
	return fmt.Sprintf("models.%s has no operation %T; it has %s", model, op, strings.Join(known, ", "))
}

// says reports whether a bool answer may be want: it is want, unknown, or nil, which is for a program
// that ignores the answer.
func says(op, answer any, want bool) bool {
	if answer == nil || answer == (Any{}) {
		return true
	}
	b, is := answer.(bool)
	if !is {
		panic(fmt.Sprintf("models: the answer to %v is %v, a %T: want a bool, or nil if it is not known", op, answer, answer))
	}
	return b == want
}

// counts is says for a number.
func counts(op, answer any, want int64) bool {
	if answer == (Any{}) {
		return true
	}
	v := reflect.ValueOf(answer)
	switch {
	case v.CanInt():
		return v.Int() == want
	case v.CanUint():
		return want >= 0 && v.Uint() == uint64(want)
	}
	panic(fmt.Sprintf("models: the answer to %v is %v, a %T: want an integer", op, answer, answer))
}

// The operations of a register.
type (
	// Write sets the value. Its answer is nil.
	Write struct{ Value any }
	// Read answers the value.
	Read struct{}
	// CompareAndSwap sets the value to New if it is Old, and answers whether it was.
	CompareAndSwap struct{ Old, New any }
)

func (o Write) String() string          { return fmt.Sprintf("write %v", o.Value) }
func (Read) String() string             { return "read" }
func (o CompareAndSwap) String() string { return fmt.Sprintf("swap %v for %v", o.Old, o.New) }

// Register is a value that is written and read. Its operations are [Write], [Read] and
// [CompareAndSwap].
func Register(initial any) porcupine.Model {
	same := func(a, b any) bool { return a == b }
	show := func(v any) string { return fmt.Sprintf("the value is %v", v) }
	return object(value(Write{}, initial), same, show, func(v any, op, answer any) (bool, any) {
		switch o := op.(type) {
		case Write:
			return nothing(o, answer), value(o, o.Value)
		case Read:
			return is(o, answer, v), v
		case CompareAndSwap:
			if v != value(o, o.Old) {
				return says(o, answer, false), v
			}
			return says(o, answer, true), value(o, o.New)
		}
		panic(unknown("Register", op, "Write", "Read", "CompareAndSwap"))
	})
}

// The operations of a counter.
type (
	// Add adds N. Its answer is nil, or the sum.
	Add struct{ N int64 }
	// Take subtracts N unless less than N is left, and answers whether it has.
	Take struct{ N int64 }
	// Get answers the number.
	Get struct{}
)

func (o Add) String() string  { return fmt.Sprintf("add %d", o.N) }
func (o Take) String() string { return fmt.Sprintf("take %d", o.N) }
func (Get) String() string    { return "get" }

// Counter is a number that is never negative, such as a stock. Its operations are [Add], [Take] and
// [Get].
func Counter(initial int64) porcupine.Model {
	same := func(a, b int64) bool { return a == b }
	show := func(n int64) string { return fmt.Sprintf("%d are left", n) }
	return object(initial, same, show, func(n int64, op, answer any) (bool, int64) {
		switch o := op.(type) {
		case Add:
			return answer == nil || counts(o, answer, n+o.N), n + amount(o, o.N)
		case Take:
			if n < amount(o, o.N) {
				return says(o, answer, false), n
			}
			return says(o, answer, true), n - o.N
		case Get:
			return counts(o, answer, n), n
		}
		panic(unknown("Counter", op, "Add", "Take", "Get"))
	})
}

// The operations of a queue.
type (
	// Enqueue adds a value at the end. Its answer is nil.
	Enqueue struct{ Value any }
	// Dequeue removes the first value and answers it, or answers Empty.
	Dequeue struct{}
	// Empty is the answer of a Dequeue of an empty queue.
	Empty struct{}
)

func (o Enqueue) String() string { return fmt.Sprintf("enqueue %v", o.Value) }
func (Dequeue) String() string   { return "dequeue" }
func (Empty) String() string     { return "empty" }

// Queue is a queue, first in, first out. Its operations are [Enqueue] and [Dequeue].
func Queue(initial ...any) porcupine.Model {
	same := slices.Equal[[]any]
	show := func(q []any) string { return fmt.Sprintf("waiting: %v", q) }
	var first []any
	for _, v := range initial {
		first = append(first, value(Enqueue{}, v))
	}
	return object(first, same, show, func(q []any, op, answer any) (bool, []any) {
		switch o := op.(type) {
		case Enqueue:
			return nothing(o, answer), append(slices.Clip(q), value(o, o.Value))
		case Dequeue:
			if len(q) == 0 {
				return is(o, answer, Empty{}), q
			}
			return is(o, answer, q[0]), q[1:]
		}
		panic(unknown("Queue", op, "Enqueue", "Dequeue"))
	})
}

// The operations of a set.
type (
	// Insert adds a value, and answers whether it was new.
	Insert struct{ Value any }
	// Remove removes a value, and answers whether it was in the set.
	Remove struct{ Value any }
	// Contains answers whether a value is in the set.
	Contains struct{ Value any }
)

func (o Insert) String() string   { return fmt.Sprintf("insert %v", o.Value) }
func (o Remove) String() string   { return fmt.Sprintf("remove %v", o.Value) }
func (o Contains) String() string { return fmt.Sprintf("contains %v", o.Value) }

// Set is a set of values. Its operations are [Insert], [Remove] and [Contains].
func Set(initial ...any) porcupine.Model {
	same := func(a, b []any) bool {
		return len(a) == len(b) && !slices.ContainsFunc(a, func(v any) bool { return !slices.Contains(b, v) })
	}
	show := func(s []any) string { return fmt.Sprintf("in it: %v", s) }
	return object(values(Insert{}, initial), same, show, func(s []any, op, answer any) (bool, []any) {
		switch o := op.(type) {
		case Insert:
			v := value(o, o.Value)
			if slices.Contains(s, v) {
				return says(o, answer, false), s
			}
			return says(o, answer, true), append(slices.Clip(s), v)
		case Remove:
			i := slices.Index(s, value(o, o.Value))
			if i < 0 {
				return says(o, answer, false), s
			}
			return says(o, answer, true), slices.Concat(s[:i], s[i+1:])
		case Contains:
			return says(o, answer, slices.Contains(s, value(o, o.Value))), s
		}
		panic(unknown("Set", op, "Insert", "Remove", "Contains"))
	})
}

// The operations of a bank.
type (
	// Transfer moves an amount from one account to another unless the first has less, and answers
	// whether it has.
	Transfer struct {
		From, To string
		Amount   int64
	}
	// Balance answers the balance of an account.
	Balance struct{ Of string }
	// Total answers the sum of all balances.
	Total struct{}
)

func (o Transfer) String() string {
	return fmt.Sprintf("transfer %d from %s to %s", o.Amount, o.From, o.To)
}
func (o Balance) String() string { return "balance of " + o.Of }
func (Total) String() string     { return "total" }

// ledger has the accounts with a balance other than 0, by name.
type ledger []entry

type entry struct {
	name    string
	balance int64
}

// of returns the balance of an account.
func (l ledger) of(name string) int64 {
	for _, e := range l {
		if e.name == name {
			return e.balance
		}
	}
	return 0
}

// plus returns the ledger with an amount added to an account.
func (l ledger) plus(name string, amount int64) ledger {
	next := slices.DeleteFunc(slices.Clone(l), func(e entry) bool { return e.name == name })
	if now := l.of(name) + amount; now != 0 {
		next = append(next, entry{name, now})
	}
	slices.SortFunc(next, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return next
}

// total returns the sum of all balances.
func (l ledger) total() (sum int64) {
	for _, e := range l {
		sum += e.balance
	}
	return sum
}

func (l ledger) String() string {
	var parts []string
	for _, e := range l {
		parts = append(parts, fmt.Sprintf("%s has %d", e.name, e.balance))
	}
	return strings.Join(parts, ", ")
}

// Bank is accounts with balances that are never negative, and whose total stays. Its operations are
// [Transfer], [Balance] and [Total]. An account that is not among the initial ones has nothing.
func Bank(initial map[string]int64) porcupine.Model {
	var accounts ledger
	for name, balance := range initial { // unordered: they are sorted
		accounts = accounts.plus(name, balance)
	}
	same := slices.Equal[ledger]
	return object(accounts, same, ledger.String, func(l ledger, op, answer any) (bool, ledger) {
		switch o := op.(type) {
		case Transfer:
			if l.of(o.From) < amount(o, o.Amount) {
				return says(o, answer, false), l
			}
			return says(o, answer, true), l.plus(o.From, -o.Amount).plus(o.To, o.Amount)
		case Balance:
			return counts(o, answer, l.of(o.Of)), l
		case Total:
			return counts(o, answer, l.total()), l
		}
		panic(unknown("Bank", op, "Transfer", "Balance", "Total"))
	})
}
