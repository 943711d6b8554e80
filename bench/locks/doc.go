// Command locks measures the sound locks of Lockpick beside redsync and redislock,
// on a real redis-server that it starts itself, and writes the figures into a page.
//
//	make bench-locks
//
// All locks have the same settings and the same client: go-redis with its defaults.
// They are measured in turn, and each round begins with another lock, so that other
// load on the machine affects all of them. Figures are medians of the rounds; ratios
// are medians of the ratios within a round.
//
// The command is a module of its own, so that Lockpick does not depend on the other
// libraries.
package main
