// Command locks measures the sound locks of Lockpick beside redsync and
// redislock, which the field compares with, against a real redis-server that it
// starts itself, and writes what it finds into a page.
//
//	make bench-locks
//
// All of them have the same settings, and the same client: go-redis with its
// defaults. They are measured in turn, in rounds of which each begins with
// another one, so that whatever else the machine does hits them alike; what is
// reported is the median of the rounds, and ratios are medians of the ratios
// within a round.
//
// It is a module of its own, so that Lockpick does not depend on what it is
// compared with.
package main
