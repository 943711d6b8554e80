// Package realcommand has the commands confirm and export of simrun, which run counterexamples on real servers: see [Commands].
//
// Confirm exits with 1 if each trace was confirmed, and with 3 if one was not, cannot be forced, or a server is not installed. Export exits
// with 0 if it has written a test that fails as it should, and with 3 if there is none.
package realcommand
