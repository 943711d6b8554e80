package realredis

import (
	"bytes"
	"context"
	"maps"
	"net"
	"strconv"
	"strings"
	"sync"
)

// Requests counts clients' requests to servers, at the clients' ends of their connections. The servers' own statistics
// (INFO commandstats) also count the commands that a script calls, and do not distinguish them from requests. The zero
// value is ready. It is safe for concurrent use.
type Requests struct {
	mu     sync.Mutex
	counts map[string]map[string]int
}

// Dial connects to a server, and counts the requests on that connection.
func (r *Requests) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &counted{Conn: c, addr: addr, of: r}, nil
}

// At returns the number of requests of each name, in upper case, at an address.
func (r *Requests) At(addr string) map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	served := maps.Clone(r.counts[addr])
	if served == nil {
		served = map[string]int{}
	}
	return served
}

func (r *Requests) note(addr, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		r.counts = map[string]map[string]int{}
	}
	if r.counts[addr] == nil {
		r.counts[addr] = map[string]int{}
	}
	r.counts[addr][name]++
}

// counted is a connection. One goroutine at a time writes.
type counted struct {
	net.Conn
	addr string
	of   *Requests
	rest []byte // of a request that is not whole
}

func (c *counted) Write(b []byte) (int, error) {
	c.rest = append(c.rest, b...)
	for {
		name, rest, whole := request(c.rest)
		if !whole {
			break
		}
		c.of.note(c.addr, name)
		c.rest = rest
	}
	return c.Conn.Write(b)
}

// request takes one request off the front: an array of bulk strings, of which the first is
// the name.
func request(b []byte) (name string, rest []byte, whole bool) {
	words, rest, whole := length(b, '*')
	for i := 0; whole && i < words; i++ {
		var size int
		if size, rest, whole = length(rest, '$'); !whole || len(rest) < size+2 {
			return "", b, false
		}
		if i == 0 {
			name = strings.ToUpper(string(rest[:size]))
		}
		rest = rest[size+2:]
	}
	return name, rest, whole
}

// length takes a line with a number off the front.
func length(b []byte, kind byte) (n int, rest []byte, whole bool) {
	end := bytes.Index(b, []byte("\r\n"))
	if end < 1 || b[0] != kind {
		return 0, b, false
	}
	n, err := strconv.Atoi(string(b[1:end]))
	return n, b[end+2:], err == nil && n >= 0
}
