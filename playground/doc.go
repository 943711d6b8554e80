// Package playground is Lockpick in a browser, without a server: it searches a lock under a scenario,
// and answers with progress, findings, stories and pictures as messages that a page shows.
//
// A [Catalogue] lists what can be chosen; it is made when the playground is built, so that the page shows
// it before the program has arrived. A [Session] does what the page asks for, one thing after the other: it
// searches, shows a finding, shrinks it, or hashes runs. A search is a hunt (package hunt) that does
// not shrink, so that the first counterexample is seen at once. Its findings, tapes and hashes are those
// of simrun run with the same lock, scenario, parameters and seed on any machine.
//
// Package wasm beside it is the program for GOOS=js that searches, in a web worker, and drawing/wasm the one that draws
// what was found, in another (package drawing says why); page has the page, and package build puts all of it into a directory
// of plain files, which any static host serves: make playground. Nothing here knows a browser, so the same session is tested with worker processes.
package playground
