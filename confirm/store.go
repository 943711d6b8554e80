package confirm

import (
	"bufio"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
)

// Store is what a confirmation needs of a store. Only its own package knows the store's protocol.
type Store interface {
	// ID is that of the simulated store.
	ID() string
	// Start starts fresh servers for a cell, the nodes of a trace by their names. The error says what is not
	// installed.
	Start(c cell.Cell, nodes []string) (Servers, error)
	// Frame reads the next request from a client's stream, or the next answer from a server's.
	Frame(r *bufio.Reader) ([]byte, error)
	// Signature is what a request asks for, without what differs from run to run: tokens, hashes of scripts.
	// It is empty for what only sets a connection up.
	Signature(request []byte) string
	// Refused reports whether an answer says that the request has not been executed, and is to be made in another
	// form.
	Refused(answer []byte) bool
}

// Servers are running servers. One goroutine calls its methods.
type Servers interface {
	// Version names the servers, such as "redis-server 7.0.15".
	Version() string
	// Address is the host and port of a node.
	Address(node string) string
	// Records are those of a node, by their keys.
	Records(node string) (map[string]Record, error)
	// Kill kills a node's process, and Restart starts it again as one that serves, with what it has kept.
	Kill(node string) error
	Restart(node string) error
	// Promote makes a follower serve.
	Promote(node string) error
	// Replicate lets the followers of a node have what it has, and keeps from them what comes later. It is
	// called before the run as well.
	Replicate(node string) error
	// Stop kills what is left, and removes all files.
	Stop()
}

// Record is a record of a server.
type Record struct {
	Value string
	// Ends is when it expires, zero if never.
	Ends time.Time
}
