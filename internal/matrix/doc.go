// Package matrix searches locks under scenarios and compares what is found with
// what is expected of them ([expect.Expectations]).
//
// A [Matrix] has a [Cell] for each lock and scenario. [Matrix.Search] searches
// them, several at a time; what is found depends neither on how many nor on their
// order. Afterwards each cell says how the lock stands there ([Standing]) and
// what is not as expected ([Problem]). How that is printed is not decided here.
package matrix
