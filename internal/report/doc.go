// Package report writes the findings of searches as one page to send to a colleague:
// the findings by their causes, each with its picture, a table of what was searched and
// found, and of each search its seed, its budget and what was vacuous. The page is one file
// without script and without external references.
package report
