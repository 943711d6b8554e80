package models

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// step is what one operation does to a state: whether the answer is legal, and the state after it. The
// state must not be changed.
type step[S any] func(state S, op, answer any) (legal bool, next S)

// object makes a model. Same compares states.
func object[S any](initial S, same func(a, b S) bool, show func(S) string, do step[S]) porcupine.Model {
	return porcupine.Model{
		Init:              func() any { return initial },
		Equal:             func(a, b any) bool { return same(a.(S), b.(S)) },
		Step:              func(state, op, answer any) (bool, any) { return do(state.(S), op, answer) },
		DescribeState:     func(state any) string { return show(state.(S)) },
		DescribeOperation: describe,
	}
}

// describe is an operation with its answer in words.
func describe(op, answer any) string {
	if answer == nil {
		return fmt.Sprint(op)
	}
	return fmt.Sprintf("%v -> %v", op, answer)
}

// unknown is for an operation that a model does not have.
func unknown(model string, op any, known ...string) string {
	return fmt.Sprintf("models.%s has no operation %T; it has %s", model, op, strings.Join(known, ", "))
}

// says reports whether an answer may be the given one: it is the same, or not known.
func says(op, answer any, want bool) bool {
	if answer == nil {
		return true
	}
	b, is := answer.(bool)
	if !is {
		panic(fmt.Sprintf("models: the answer to %v is %v, a %T: want a bool, or nil if it is not known", op, answer, answer))
	}
	return b == want
}

// counts is the same for a number.
func counts(op, answer any, want int64) bool {
	if answer == nil {
		return true
	}
	v := reflect.ValueOf(answer)
	switch {
	case v.CanInt():
		return v.Int() == want
	case v.CanUint():
		return want >= 0 && v.Uint() == uint64(want)
	}
	panic(fmt.Sprintf("models: the answer to %v is %v, a %T: want an integer, or nil if it is not known", op, answer, answer))
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
	show := func(v any) string { return fmt.Sprint(v) }
	return object(initial, same, show, func(v any, op, answer any) (bool, any) {
		switch o := op.(type) {
		case Write:
			return true, o.Value
		case Read:
			return answer == nil || answer == v, v
		case CompareAndSwap:
			if v != o.Old {
				return says(o, answer, false), v
			}
			return says(o, answer, true), o.New
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
	show := func(n int64) string { return fmt.Sprint(n) }
	return object(initial, same, show, func(n int64, op, answer any) (bool, int64) {
		switch o := op.(type) {
		case Add:
			return counts(o, answer, n+o.N), n + o.N
		case Take:
			if n < o.N {
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
	same := func(a, b []any) bool { return slices.Equal(a, b) }
	show := func(q []any) string { return fmt.Sprint(q...) }
	return object(initial, same, show, func(q []any, op, answer any) (bool, []any) {
		switch o := op.(type) {
		case Enqueue:
			return true, append(slices.Clip(q), o.Value)
		case Dequeue:
			if len(q) == 0 {
				return answer == nil || answer == Empty{}, q
			}
			return answer == nil || answer == q[0], q[1:]
		}
		panic(unknown("Queue", op, "Enqueue", "Dequeue"))
	})
}

// The operations of a set.
type (
	// Insert adds a value, and answers whether it was new.
	Insert struct{ Value any }
	// Remove takes a value away, and answers whether it was there.
	Remove struct{ Value any }
	// Contains answers whether a value is there.
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
	show := func(s []any) string { return fmt.Sprint(s...) }
	return object(slices.Compact(initial), same, show, func(s []any, op, answer any) (bool, []any) {
		switch o := op.(type) {
		case Insert:
			if slices.Contains(s, o.Value) {
				return says(o, answer, false), s
			}
			return says(o, answer, true), append(slices.Clip(s), o.Value)
		case Remove:
			i := slices.Index(s, o.Value)
			if i < 0 {
				return says(o, answer, false), s
			}
			return says(o, answer, true), slices.Concat(s[:i], s[i+1:])
		case Contains:
			return says(o, answer, slices.Contains(s, o.Value)), s
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
	// Balance answers what an account has.
	Balance struct{ Of string }
	// Total answers what all accounts have together.
	Total struct{}
)

func (o Transfer) String() string {
	return fmt.Sprintf("transfer %d from %s to %s", o.Amount, o.From, o.To)
}
func (o Balance) String() string { return "balance of " + o.Of }
func (Total) String() string     { return "total" }

// ledger is the accounts with a balance that is not 0, by name.
type ledger []entry

type entry struct {
	name    string
	balance int64
}

// of is the balance of an account.
func (l ledger) of(name string) int64 {
	for _, e := range l {
		if e.name == name {
			return e.balance
		}
	}
	return 0
}

// plus is the ledger with an amount more in an account.
func (l ledger) plus(name string, amount int64) ledger {
	next := slices.DeleteFunc(slices.Clone(l), func(e entry) bool { return e.name == name })
	if now := l.of(name) + amount; now != 0 {
		next = append(next, entry{name, now})
	}
	slices.SortFunc(next, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return next
}

// total is what all accounts have together.
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
	same := func(a, b ledger) bool { return slices.Equal(a, b) }
	return object(accounts, same, ledger.String, func(l ledger, op, answer any) (bool, ledger) {
		switch o := op.(type) {
		case Transfer:
			if l.of(o.From) < o.Amount {
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
