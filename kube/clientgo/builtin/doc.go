// Package builtin has client-go's leader election as locks, and what is expected of them.
//
// Everything belongs to the client processes that use it.
package builtin
