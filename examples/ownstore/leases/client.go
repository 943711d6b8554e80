package leases

import (
	"bufio"
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"time"
)

// Patience is how long a client waits for one server.
const Patience = time.Second

// ErrNoLeader is returned if no server leads that the client reaches. The request was not carried out.
var ErrNoLeader = errors.New("leases: no server leads")

// Client asks the servers, one of which leads. It is safe for concurrent use.
type Client struct {
	Addresses []string
	Dial      func(ctx context.Context, network, address string) (net.Conn, error) // that of a net.Dialer
	at        atomic.Int64                                                         // the place of the server to ask first
}

// Do returns the leader's answer to a request. After an error other than [ErrNoLeader] the request may have been
// carried out, or may be later.
func (c *Client) Do(ctx context.Context, request string) (answer string, err error) {
	for range c.Addresses {
		at := c.at.Load()
		answer, sent, err := c.ask(ctx, c.Addresses[at], request)
		if err == nil && answer != NotLeader {
			return answer, nil
		}
		c.at.CompareAndSwap(at, (at+1)%int64(len(c.Addresses)))
		if err != nil && sent {
			return "", err
		}
	}
	return "", ErrNoLeader
}

// ask asks one server, on a connection of its own. Sent is false if the request cannot have arrived.
func (c *Client) ask(ctx context.Context, address, request string) (answer string, sent bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	conn, err := c.Dial(ctx, "tcp", address)
	if err != nil {
		return "", false, err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(0, 1)) })()
	if _, err := conn.Write([]byte(request + "\n")); err != nil {
		return "", true, err
	}
	answer, err = bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSuffix(answer, "\n"), true, err
}
