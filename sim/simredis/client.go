package simredis

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// client is a client's connection, at a node or at a sentinel.
type client struct {
	sock *sim.ServerConn
	in   []byte // received and not executed
	out  *output
	task *sim.Task // of the segment that is executed

	closed   bool      // by the server: nothing more is executed
	channels int       // subscriptions, patterns included
	sharded  int       // subscriptions of sharded channels
	name     string    // given with CLIENT SETNAME
	tracking *tracking // nil if it does not track
}

// take adds a segment to the received data.
func (c *client) take(segment []byte, t *sim.Task) {
	c.task = t
	if len(c.in) == 0 {
		c.in = slices.Clip(segment) // it is not changed any more
	} else {
		c.in = append(c.in, segment...)
	}
}

// next removes the next command from the received data and returns its words, at least one; nil if
// there is no whole command. Data that is not a command is answered with an error and ends the
// connection.
func (c *client) next() (words []string) {
	for !c.closed && len(words) == 0 {
		args, rest, err := parseCommand(c.in)
		if err != nil {
			c.out.WriteError(err.Error())
			c.closed = true
		}
		if err != nil || args == nil {
			return nil
		}
		c.in, words = rest, args
	}
	return words
}

// answer sends the output for the connection at the given time.
func (c *client) answer(at time.Duration) {
	if out := c.out.take(); len(out) > 0 {
		c.sock.Send(at, out, c.task)
	}
}
