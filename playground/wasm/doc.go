//go:build js

// Package main is the program of the playground, for GOOS=js: it runs in a web worker. The worker's script makes requests
// by the functions of the global object lockpick, and the answers go as JSON to its function lockpickTell. Requests are
// carried out one at a time, in their order; stop ends all earlier ones.
package main
