// Package causes groups the findings of a search by cause, so that each cause is reported
// once.
//
// A [Failure] is one failure of a scenario: a violation that fails the test, or a run that did not finish. Most causes
// show in several scenarios and violate several properties in one run. [Findings] collects failures. [Findings.Stories]
// selects the fewest failures that show every cause, the simplest for each, in reporting order.
package causes
