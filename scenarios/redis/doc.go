// Package redis makes Redis a store of scenarios: independent servers, each a primary with
// its replicas, and go-redis clients that connect to them.
//
// [Store] builds the servers of package simredis into a world and defines their
// parameters. [Options] connects a go-redis client to the simulated network; locks get it
// from scenarios.Client.Redis.
//
// go-redis has a random source of its own and reuses timers across runs. This package
// resets both, so that a run is a function of its tape with any version of go-redis.
//
// Package builtin has the locks that come with Lockpick, and what is expected of them.
package redis
