// Package server has the parts of all stores' simulated servers: the [Host] of a server's
// process, which crashes and hangs, and the [Lane] on which one server sends messages to another.
//
// Everything belongs to the conductor, as in package sim.
package server
