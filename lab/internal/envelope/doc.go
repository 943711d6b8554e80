// Package envelope maps where a lock does harm, and where none was found: over two of lease, longest pause, longest round trip,
// error of a clock and length of a hold, it finds the border between them.
//
// At a [Point] all five have a value. The point is searched by an ordinary hunt with a number of schedules and a seed, so its
// result depends on nothing else. A [Map] has columns: in each, the values on the horizontal axis are the same, and [Bisect] looks
// for the border on the vertical one. Bisection assumes that a column has one border at most. A map checks that with random
// points on both sides of it, and reports those that contradict it.
//
// It lacks proofs: a side of the border is named after what was found, and "none found in N schedules" is no safety. A search
// finds less than is possible, so the true border may be above the one that it draws. [Rule] has, for some locks, a bound of it from above. A point at which no
// fault has struck a holder is vacuous, and is shown as such.
//
// The points are runs of a scenario of Lockpick with parameters, and their traces replay as such. The package is used by one
// goroutine; the searches use worker processes.
package envelope
