// Package simrun is the program simrun as a function, for programs with locks of their own: to search them from the
// command line, in the matrix, with worker processes, replays and pages. Such a program needs a main of ten lines:
//
//	func main() {
//		simrun.Main(simrun.Locks(
//			cell.Lock{ID: "mine", Summary: "what it does", Store: mystore.Store, Subject: cell.Mutex(newLock)},
//		))
//	}
//
// The program has the locks passed to [Main], and their stores. With the locks of Lockpick it is
// github.com/lockpick-dev/lockpick/cmd/simrun, whose page describes the commands and exit codes.
//
// The constructors of locks, and the locks, must be as deterministic as in a test: see
// package cell.
package simrun
