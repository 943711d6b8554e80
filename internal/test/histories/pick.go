package histories

import (
	"math/bits"

	"pgregory.net/rapid"
)

// pick draws a number from 0 to n-1, all about as likely. (Rapid's own ranges
// and samples prefer the first and the last, and then nearly all clients of a
// simulation call something and hardly one hears the answer.) It shrinks to 0.
func pick(t *rapid.T, label string, n int) int {
	drawn := 0
	for range bits.Len(uint(n-1)) + 2 {
		drawn *= 2
		if rapid.Bool().Draw(t, label) {
			drawn++
		}
	}
	return drawn % n
}

// between draws a number from one to another.
func between(t *rapid.T, label string, from, to int64) int64 {
	return from + int64(pick(t, label, int(to-from)+1))
}

// oneOf draws an element.
func oneOf[T any](t *rapid.T, label string, all []T) T { return all[pick(t, label, len(all))] }

// rarely is true once in n times, and shrinks to false.
func rarely(t *rapid.T, label string, n int) bool { return pick(t, label, n) == n-1 }
