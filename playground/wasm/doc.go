//go:build js

// Package main is the program of the playground, for GOOS=js: it runs in a web worker. The worker's script asks for
// something by the functions of the global object lockpick, and the answers go as JSON to its function lockpickTell.
// One thing is done at a time, in the order in which it was asked for; stop ends all that was asked for before.
package main
