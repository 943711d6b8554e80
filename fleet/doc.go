// Package fleet adds commands to the program simrun that search with many machines: simrun fleet serve hands out the
// blocks of one search and joins the results, simrun fleet work searches them, and simrun fleet status shows the state of
// the search. The result is that of simrun run on one machine.
//
// It is a module of its own, so that other programs do not compile NATS and the clients of clouds. A program with locks of
// its own gets the commands by one more option:
//
//	func main() {
//		simrun.Main(simrun.Locks(...), simrun.Commands(fleet.Command()))
//	}
//
// docs/fleet.md is the guide.
package fleet
