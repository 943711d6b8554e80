// Package redis runs real Redis: redis-server processes on the loopback interface, on which package confirm makes
// counterexamples happen ([Store]). It needs a redis-server on the PATH (Debian: apt install redis-server); a trace in
// which a server's clock jumps needs a C compiler as well.
//
// A follower gets its primary's stream through a link, which holds all changes until the trace's order lets them arrive.
// Servers keep nothing on disk, as in the simulation: one that is started again is empty.
package redis
