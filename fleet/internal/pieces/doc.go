// Package pieces has what a fleet's workers are given and give back: a piece of a search is a range of its blocks, and its
// result a text that is the same whoever searches it.
package pieces
