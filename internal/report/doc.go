// Package report writes the findings of searches as one page to send to a colleague: the findings by their causes, each
// with its picture, a table of the searches with their results, seeds and budgets, and the vacuous ones. The page is one
// file without script and without external references.
package report
