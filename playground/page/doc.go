// Package page has the page of the playground: plain HTML, style and scripts, without a framework and
// without anything from elsewhere. All addresses in it are relative.
//
// index.html is the form and the places for results. playground.js reads and shows them, link.js keeps all that
// is chosen in the address's fragment, and engine.js has a web worker, which runs worker.js with one of the two programs
// in it: it counts what is loaded, and ends a worker that does not answer. The worker that searches is begun by
// index.html, before anything else is loaded; the one that draws is begun with the first finding.
package page
