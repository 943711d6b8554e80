// Package pieces defines the tasks and results of a fleet's workers: a piece of a search is a range of its blocks, and its
// result is a text that does not depend on the worker.
package pieces
