// Package expect defines what is expected of locks: the violations that a search of a lock
// in a scenario must find, and those that it may find, each as a fault of the lock or as a
// limit of leases. It must never find any other.
//
// [Expectations] are those of one lock, with the reason. A [Family] groups similar locks.
// The expectations of each store's built-in locks stand beside the locks. Tests and the
// command simrun matrix compare them with findings.
package expect
