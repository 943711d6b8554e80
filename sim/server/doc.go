// Package server has what the simulated servers of all stores are made of: the [Host] of a
// server's process, which crashes and hangs, and the [Lane] on which one server sends messages to
// another.
//
// Everything belongs to the conductor, as in package sim.
package server
