// Package gotest has the go test commands that run the test of a trace again: packages locktest and
// simrun print them.
package gotest
