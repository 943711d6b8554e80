package objects

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// sequential is a typed sequential object for porcupine: S are its states, I its
// inputs and O its outputs.
//
// Histories are split by object, and states are compared by their hash, which makes
// the search faster.
type sequential[S state[S], I input[O], O any] struct {
	// Initial is the initial state of every object.
	Initial S
	// Step reports whether the input and the output are legal in the given state,
	// and returns the state after them. It must not change the given state.
	Step func(before S, in I, out O) (S, bool)
}

// state is a state of a sequential object. Equal states have equal hashes.
type state[S any] interface {
	Equal(S) bool
	Hash() uint64
	// String describes the state in the picture.
	fmt.Stringer
}

// input is the input of a sequential object.
type input[O any] interface {
	// Concerns returns the name of the object.
	Concerns() string
	// Describe describes the call and its answer in the picture.
	Describe(out O) string
}

// Porcupine returns the model for porcupine. Inputs must be of type I and outputs
// of type O.
func (m sequential[S, I, O]) Porcupine() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			return partition(history, func(op *porcupine.Operation) string { return op.Input.(I).Concerns() })
		},
		PartitionEvent: func(history []porcupine.Event) [][]porcupine.Event {
			of := make(map[int]string) // by the event's id: returns do not name the object
			return partition(history, func(e *porcupine.Event) string {
				if e.Kind == porcupine.CallEvent {
					of[e.Id] = e.Value.(I).Concerns()
				}
				return of[e.Id]
			})
		},
		Init: func() any { return m.Initial },
		Step: func(state, in, out any) (bool, any) {
			next, legal := m.Step(state.(S), in.(I), out.(O))
			return legal, next
		},
		Equal:             func(a, b any) bool { return a.(S).Equal(b.(S)) },
		Hash:              func(state any) uint64 { return state.(S).Hash() },
		DescribeState:     func(state any) string { return state.(S).String() },
		DescribeOperation: func(in, out any) string { return in.(I).Describe(out.(O)) },
	}
}

// partition splits a history by object, in the order in which they appear.
func partition[T any](history []T, object func(*T) string) [][]T {
	var parts [][]T
	at := make(map[string]int)
	for i := range history {
		name := object(&history[i])
		n, known := at[name]
		if !known {
			n = len(parts)
			at[name] = n
			parts = append(parts, nil)
		}
		parts[n] = append(parts[n], history[i])
	}
	return parts
}

// digest hashes a state, word by word: FNV-1a (Fowler, Noll, Vo) over 64-bit
// words.
type digest uint64

const newDigest digest = 14695981039346656037

func (d digest) int(n int64) digest { return (d ^ digest(n)) * 1099511628211 }

func (d digest) string(s string) digest {
	for i := range len(s) {
		d = (d ^ digest(s[i])) * 1099511628211
	}
	return d.int(int64(len(s)))
}

func (d digest) bool(b bool) digest {
	if b {
		return d.int(1)
	}
	return d.int(0)
}
