// Package playground runs Lockpick in a browser, without a server: it searches a lock under a scenario, and answers with
// progress, findings, stories and pictures as messages that a page shows.
//
// A [Catalogue] lists the choices; it is made when the playground is built, so that the page shows it before the program
// has loaded. A [Session] carries out the page's requests, one after the other: it searches, shows a finding, shrinks it,
// or hashes runs. A search is a hunt (package hunt) without shrinking, so that the first counterexample appears at once.
// Its findings, tapes and hashes are those of simrun run with the same lock, scenario, parameters and seed on any machine.
//
// Package wasm beside it is the program for GOOS=js that searches, in a web worker, and drawing/wasm the one that draws
// findings, in another (package drawing has the reason); page has the page, and package build puts everything into a
// directory of plain files, which any static host serves: make playground. The session does not depend on a browser, so it
// is tested with worker processes.
package playground
