package models_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/program/models"
)

// op is an operation of a client from one time to another.
func op(client int, call, end int64, input, output any) porcupine.Operation {
	return porcupine.Operation{ClientId: client, Input: input, Output: output, Call: call, Return: end}
}

// pending is one that has not returned.
func pending(client int, call int64, input any) porcupine.Operation {
	return op(client, call, math.MaxInt64, input, models.Any{})
}

// TestHistories has a legal and an illegal history of each model, and what is near the line.
func TestHistories(t *testing.T) {
	bank := map[string]int64{"a": 10}
	for _, test := range []struct {
		name  string
		model porcupine.Model
		legal bool
		ops   []porcupine.Operation
	}{
		{"register: a read of the last write", models.Register(0), true, []porcupine.Operation{op(0, 1, 2, models.Write{1}, nil), op(1, 3, 4, models.Read{}, 1)}},
		{"register: a stale read", models.Register(0), false, []porcupine.Operation{op(0, 1, 2, models.Write{1}, nil), op(1, 3, 4, models.Read{}, 0)}},
		{"register: an old read beside the write", models.Register(0), true, []porcupine.Operation{op(0, 1, 4, models.Write{1}, nil), op(1, 2, 3, models.Read{}, 0)}},
		{"register: a pending write is read", models.Register(0), true, []porcupine.Operation{pending(0, 1, models.Write{1}), op(1, 2, 3, models.Read{}, 1)}},
		{"register: a pending write is read and read no more", models.Register(0), false, []porcupine.Operation{pending(0, 1, models.Write{1}), op(1, 2, 3, models.Read{}, 1), op(1, 4, 5, models.Read{}, 0)}},
		{"register: two swaps of one value", models.Register(0), false, []porcupine.Operation{op(0, 1, 2, models.CompareAndSwap{0, 1}, true), op(1, 3, 4, models.CompareAndSwap{0, 2}, true)}},
		{"register: the second is refused", models.Register(0), true, []porcupine.Operation{op(0, 1, 2, models.CompareAndSwap{0, 1}, true), op(1, 3, 4, models.CompareAndSwap{0, 2}, false)}},
		{"register: integers of two types", models.Register(0), true, []porcupine.Operation{op(0, 1, 2, models.Write{5}, nil), op(1, 3, 4, models.Read{}, int64(5)), op(1, 5, 6, models.CompareAndSwap{uint8(5), 6}, true)}},
		{"register: nil is a value", models.Register(nil), true, []porcupine.Operation{op(0, 1, 2, models.Read{}, nil), op(0, 3, 4, models.Write{1}, nil), op(0, 5, 6, models.Write{nil}, nil), op(0, 7, 8, models.Read{}, nil)}},
		{"register: nil is no other value", models.Register("a"), false, []porcupine.Operation{op(0, 1, 2, models.Read{}, nil)}},
		{"counter: taken until nothing is left", models.Counter(3), true, []porcupine.Operation{op(0, 1, 4, models.Take{2}, true), op(1, 2, 3, models.Take{2}, false), op(0, 5, 6, models.Get{}, 1)}},
		{"counter: sold twice", models.Counter(3), false, []porcupine.Operation{op(0, 1, 2, models.Take{2}, true), op(1, 3, 4, models.Take{2}, true)}},
		{"counter: a lost update", models.Counter(0), false, []porcupine.Operation{op(0, 1, 3, models.Add{1}, nil), op(1, 2, 4, models.Add{1}, nil), op(0, 5, 6, models.Get{}, uint8(1))}},
		{"counter: two pending, one of them counted", models.Counter(0), true, []porcupine.Operation{pending(0, 1, models.Add{1}), pending(1, 2, models.Add{1}), op(2, 5, 6, models.Get{}, 1)}},
		{"counter: a pending one counted twice", models.Counter(0), false, []porcupine.Operation{pending(0, 1, models.Add{1}), op(2, 5, 6, models.Get{}, 2)}},
		{"queue: in order", models.Queue(), true, []porcupine.Operation{op(0, 1, 2, models.Enqueue{"x"}, nil), op(0, 3, 4, models.Enqueue{"y"}, nil), op(1, 5, 6, models.Dequeue{}, "x"), op(1, 7, 8, models.Dequeue{}, "y"), op(1, 9, 10, models.Dequeue{}, models.Empty{})}},
		{"queue: out of order", models.Queue(), false, []porcupine.Operation{op(0, 1, 2, models.Enqueue{"x"}, nil), op(0, 3, 4, models.Enqueue{"y"}, nil), op(1, 5, 6, models.Dequeue{}, "y")}},
		{"queue: a pending one took the first", models.Queue("x", "y"), true, []porcupine.Operation{pending(0, 1, models.Dequeue{}), op(1, 3, 4, models.Dequeue{}, "y"), op(1, 5, 6, models.Dequeue{}, models.Empty{})}},
		{"queue: a pending one took both", models.Queue("x", "y"), false, []porcupine.Operation{pending(0, 1, models.Dequeue{}), op(1, 3, 4, models.Dequeue{}, models.Empty{})}},
		{"queue: taken twice", models.Queue("x"), false, []porcupine.Operation{op(0, 1, 3, models.Dequeue{}, "x"), op(1, 2, 4, models.Dequeue{}, "x")}},
		{"set: new once", models.Set(), true, []porcupine.Operation{op(0, 1, 3, models.Insert{1}, true), op(1, 2, 4, models.Insert{1}, false), op(0, 5, 6, models.Contains{1}, true)}},
		{"set: named twice at first", models.Set(1, 2, 1), true, []porcupine.Operation{op(0, 1, 2, models.Remove{1}, true), op(0, 3, 4, models.Contains{int8(1)}, false)}},
		{"set: a pending one was new", models.Set(), true, []porcupine.Operation{pending(0, 1, models.Insert{1}), op(1, 2, 3, models.Insert{1}, false)}},
		{"set: new twice", models.Set(), false, []porcupine.Operation{op(0, 1, 3, models.Insert{1}, true), op(1, 2, 4, models.Insert{1}, true)}},
		{"set: removed and still there", models.Set(1), false, []porcupine.Operation{op(0, 1, 2, models.Remove{1}, true), op(1, 3, 4, models.Contains{1}, true)}},
		{"bank: the total stays", models.Bank(bank), true, []porcupine.Operation{op(0, 1, 2, models.Transfer{"a", "b", 4}, true), op(1, 3, 4, models.Balance{"b"}, 4), op(1, 5, 6, models.Total{}, 10)}},
		{"bank: a pending one has moved the money", models.Bank(bank), true, []porcupine.Operation{pending(0, 1, models.Transfer{"a", "b", 10}), op(1, 2, 3, models.Transfer{"a", "c", 1}, false)}},
		{"bank: a pending one has moved it twice", models.Bank(bank), false, []porcupine.Operation{pending(0, 1, models.Transfer{"a", "b", 4}), op(1, 2, 3, models.Balance{"b"}, 8)}},
		{"bank: overdrawn", models.Bank(bank), false, []porcupine.Operation{op(0, 1, 3, models.Transfer{"a", "b", 6}, true), op(1, 2, 4, models.Transfer{"a", "c", 6}, true)}},
		{"bank: money is lost", models.Bank(bank), false, []porcupine.Operation{op(0, 1, 2, models.Transfer{"a", "b", 4}, true), op(1, 3, 4, models.Total{}, 6)}},
	} {
		if got := porcupine.CheckOperations(test.model, test.ops); got != test.legal {
			t.Errorf("%s: legal %t, want %t", test.name, got, test.legal)
		}
	}
}

// TestSequential makes operations one after another, each with the model's own answer. They are legal,
// however their times overlap; with another number read they are not, if they do not overlap.
func TestSequential(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, value := rapid.IntRange(1, 8).Draw(t, "n"), int64(0)
		var ops []porcupine.Operation
		for i := range n {
			at := int64(10 * i)
			var input, output any = models.Get{}, value
			if add := rapid.Int64Range(0, 3).Draw(t, "add"); add > 0 {
				value += add
				input, output = models.Add{N: add}, value
			}
			ops = append(ops, op(i, at, at+5, input, output))
		}
		ops = append(ops, op(n, int64(10*n), int64(10*n)+1, models.Get{}, value))
		overlapping := append([]porcupine.Operation(nil), ops...)
		for i := range overlapping {
			overlapping[i].Call -= rapid.Int64Range(0, 30).Draw(t, "earlier")
			overlapping[i].Return += rapid.Int64Range(0, 30).Draw(t, "later")
		}
		if !porcupine.CheckOperations(models.Counter(0), overlapping) {
			t.Fatalf("a sequential history whose times overlap is illegal: %v", overlapping)
		}
		ops[n].Output = value + 1
		if porcupine.CheckOperations(models.Counter(0), ops) {
			t.Fatalf("a wrong sum is legal: %v", ops)
		}
	})
}

// TestMistakes gives models what they do not know.
func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		model         porcupine.Model
		input, output any
		want          string
	}{
		{models.Counter(0), models.Write{1}, nil, "models.Counter has no operation models.Write; it has Add, Take, Get"},
		{models.Counter(1), models.Take{1}, 1, "the answer to take 1 is 1, a int: want a bool"},
		{models.Bank(nil), models.Total{}, true, "want an integer"},
		{models.Set(), 7, nil, "models.Set has no operation int"},
		{models.Register(0), models.Write{[]byte("a")}, nil, "models.Write has the value [97], a []uint8, which == cannot compare"},
		{models.Register(0), models.Write{1}, false, "the answer to write 1 is false, a bool: it has none"},
		{models.Counter(1), models.Add{-5}, nil, "add -5 is of a negative number"},
		{models.Bank(nil), models.Transfer{"a", "b", -5}, nil, "transfer -5 from a to b is of a negative number"},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, test.want) {
					t.Errorf("%T: %s, want %s", test.input, got, test.want)
				}
			}()
			test.model.Step(test.model.Init(), test.input, test.output)
		}()
	}
}

// A stock of three items, of which two clients want two each.
func ExampleCounter() {
	m := models.Counter(3)
	fmt.Println(porcupine.CheckOperations(m, []porcupine.Operation{
		{ClientId: 0, Call: 1, Return: 3, Input: models.Take{N: 2}, Output: true},
		{ClientId: 1, Call: 2, Return: 4, Input: models.Take{N: 2}, Output: true},
	}))
	// Output: false
}
