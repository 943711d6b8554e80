package postgres

import (
	"bytes"
	"encoding/binary"
	"net"
	"slices"
)

// ordered is a connection whose start-up message has its parameters in the order of their names: the libraries
// write them in the order of a map, which differs from run to run.
type ordered struct {
	net.Conn
	begun bool
}

// protocol3 is the version of the protocol in a start-up message, but for the minor version.
const protocol3 = 3

// Write writes data of the library. The first is the start-up message.
func (o *ordered) Write(b []byte) (int, error) {
	if !o.begun {
		o.begun = true
		b = sorted(b)
	}
	return o.Conn.Write(b)
}

// sorted returns a start-up message with its parameters sorted, and anything else as it is.
func sorted(b []byte) []byte {
	const head = 8
	if len(b) <= head || int(binary.BigEndian.Uint32(b)) != len(b) || binary.BigEndian.Uint16(b[4:]) != protocol3 {
		return b
	}
	words := bytes.Split(b[head:], []byte{0}) // names and values in turn, and two that are empty
	if len(words)%2 != 0 || len(words) < 2 {
		return b
	}
	var pairs [][]byte
	for pair := range slices.Chunk(words[:len(words)-2], 2) {
		pairs = append(pairs, bytes.Join(pair, []byte{0}))
	}
	slices.SortFunc(pairs, bytes.Compare)
	return slices.Concat(b[:head], bytes.Join(append(pairs, nil, nil), []byte{0}))
}
