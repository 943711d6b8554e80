// Package fleet adds commands to the program simrun that search with many machines: simrun fleet serve hands out the blocks of one
// search and joins what comes back, simrun fleet work searches them, and simrun fleet status says where it stands. The result is that
// of simrun run on one machine.
//
// It is a module of its own, so that nobody else compiles NATS and the clients of clouds. A program with locks of its own has the
// commands by one more option:
//
//	func main() {
//		simrun.Main(simrun.Locks(...), simrun.Commands(fleet.Command()))
//	}
//
// docs/fleet.md is the guide.
package fleet
