//go:build js

// Package main is the program of the playground that draws, for GOOS=js: it runs in a web worker. The worker's script asks
// for a trace to be drawn by the function draw of the global object lockpick, and the answer goes as JSON to its function
// lockpickTell.
package main
