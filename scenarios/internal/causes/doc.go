// Package causes sorts what a search finds against a lock by its cause, so that each
// cause is told once.
//
// A [Failure] is what one scenario has against the lock: a violation that fails the
// test, or a run that did not finish. Most causes show in several scenarios and
// violate several properties in one run. [Findings] collect failures, and
// [Findings.Stories] chooses as few of them as show every cause, the simplest of
// each, and puts them in the order in which they are told.
package causes
