// Package matrix searches locks under scenarios and compares the findings with
// [expect.Expectations].
//
// A [Matrix] has a [Cell] for each lock and scenario. [Matrix.Search] searches the cells
// in parallel; the findings depend neither on the parallelism nor on the order. Each cell
// then has a [Standing], and a [Problem] for each difference from its expectations.
// Command simrun prints them.
package matrix
