// Package resp says in a few words what goes over connections to a simulated Redis: it registers a reader of the Redis
// protocol for reports (package payload). It depends on nothing of the server, so that a program which only draws runs need not have the
// server.
package resp
