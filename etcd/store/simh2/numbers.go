package simh2

import (
	"slices"
	"sync"
)

// numbers maps the numbers that a client library gives to its streams, in the order in
// which the scheduler let it open them, to those on the wire.
type numbers struct {
	mu     sync.Mutex
	client []uint32 // of the streams 1, 3, 5, ... on the wire
}

// add gives a stream of the client the next number on the wire.
func (n *numbers) add(client uint32) (wire uint32) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.client = append(n.client, client)
	return uint32(2*len(n.client) - 1)
}

// ofClient is the client's number of a stream on the wire.
func (n *numbers) ofClient(wire uint32) (uint32, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if i := int(wire-1) / 2; wire%2 == 1 && i < len(n.client) {
		return n.client[i], nil
	}
	return 0, errorf(codeProtocol, "the server names stream %d, which nobody has opened", wire)
}

// lastOfClient translates the last stream that a server has handled, by its GOAWAY. Its
// client takes all streams with larger numbers for unhandled.
func (n *numbers) lastOfClient(wire uint32) (last uint32, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	handled := int(wire+1) / 2
	if wire == maxStream || handled > len(n.client) {
		return wire, nil
	}
	if handled > 0 {
		last = slices.Max(n.client[:handled])
	}
	for _, unhandled := range n.client[handled:] {
		if unhandled < last {
			return 0, errorf(codeProtocol, "a GOAWAY after stream %d comes between streams that were opened in one step", wire)
		}
	}
	return last, nil
}
