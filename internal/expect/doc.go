// Package expect is the vocabulary of what is expected of locks: which violations a
// search of a lock in a scenario must find, which it may find, and, by leaving them
// out, which it must never find, each as a fault of the lock or as a limit of leases.
//
// [Expectations] are of one lock, with the reason; a [Family] groups locks that work
// alike. The built-in locks of each store have theirs beside them. Tests and the
// command simrun matrix compare them with what is found.
package expect
