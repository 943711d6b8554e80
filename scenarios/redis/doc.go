// Package redis is Redis as a store of scenarios: independent servers, each a primary
// with its replicas, and go-redis clients that reach them.
//
// [Store] builds the servers of package simredis into a world and says what can be
// set of them. [Options] leads a go-redis client into the simulated network; locks
// get it from scenarios.Client.Redis.
//
// go-redis draws from a random source of its own and keeps timers of one run for
// the next; this package sees to both, so that a run is a function of its tape
// whichever version of go-redis is compiled in.
//
// The locks that come with Lockpick are in package builtin, with what is expected of
// them.
package redis
