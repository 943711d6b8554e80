//go:build js

// Package main is the program of the playground that draws, for GOOS=js: it runs in a web worker. The worker's script
// requests the drawing of a trace by the function draw of the global object lockpick, and the answer goes as JSON to its
// function lockpickTell.
package main
