// Package pauses has the pauses that locks make between two tries: [Pauses] of a least length and a random
// part, by the clock and the random source that the lock was given.
package pauses
