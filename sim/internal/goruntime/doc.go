// Package goruntime reads what the Go runtime knows of the calling goroutine: its number, the number of
// the one that has started it, its stack, whether all others of its synctest bubble are blocked, and when
// the next timer of that is due.
//
// The runtime shows the numbers in stack traces alone, and to print one takes longer than to serve a
// request. Of the goroutines and timers of a bubble it shows nothing: synctest.Wait waits until the others
// are blocked, and parks the caller even if they are. So all of it is read from the runtime's memory where
// the places are known (layout.go, and package goid's knowledge for the number). It is compared with
// what the runtime says before it is believed, and where that differs, or the release of Go is not
// known, the slow way is taken. What is written is the state of the runtime's random sources, and the order
// of timers. In programs that are built with an overlay of the runtime (internal/overlay), that is
// exact, and the order of goroutines is set as well. With the build tag unreadable nothing but the
// number is read, for tests of the slow way.
package goruntime
