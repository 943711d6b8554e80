// Package expect has the expectations of locks: the violations that a search of a lock in a
// scenario must find and those that it may find, each as a fault of the lock or as a
// limit of leases. A search must find no others.
//
// [Expectations] are the expectations of one lock, with the reason. A [Family] groups similar locks. The
// command simrun matrix compares them with findings, in a program that has them by simrun.Families, and so
// does storetest.Expectations in a test. The package may change in any 0.x version.
package expect
