// Package goruntime tells what the Go runtime knows of the calling goroutine: its number, the number of
// the one that has started it, and whether all others of its synctest bubble are blocked.
//
// The runtime tells the numbers in stack traces alone, and to print one takes longer than to serve a
// request. Of the goroutines of a bubble it tells nothing: synctest.Wait waits until the others are
// blocked, and parks the caller even if they are. So all three are read from the runtime's memory where
// their places are known (layout.go, and package goid's knowledge for the number). They are compared with
// what the runtime says before they are believed, and where that differs, or the release of Go is not
// known, the slow way is taken. Nothing is written there.
package goruntime
