// Package gotest has the go test commands that run the test of a trace again. Packages locktest and simrun print them.
package gotest
