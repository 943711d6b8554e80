// Package page has the page of the playground: plain HTML, style and scripts, without a framework and without external
// resources. All addresses in it are relative.
//
// index.html is the form and the places for results. playground.js reads and shows them, link.js keeps all choices in the
// address's fragment, and engine.js has a web worker, which runs worker.js with one of the two programs in it: it shows
// the progress of loading, and ends a worker that does not answer. index.html starts the worker that searches before
// anything else is loaded; the one that draws starts with the first finding.
package page
