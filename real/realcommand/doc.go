// Package realcommand has the commands of simrun on real servers: confirm and export, which run counterexamples there, and attach, which
// searches. See [Commands].
//
// Confirm exits with 1 if each trace was confirmed, and with 3 if one was not, cannot be forced, or a server is not installed. Export exits
// with 0 if it has written a test that fails as it should, and with 3 if there is none.
package realcommand
