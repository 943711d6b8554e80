package simredis

import (
	"bytes"
	"net"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/sim"
)

// Sorted returns a client's end of a connection that sorts the channels of each
// SUBSCRIBE or PSUBSCRIBE. After a reconnect, go-redis sends all of its channels in the
// order of a map, so the bytes of two runs would differ. A connection that is not
// simulated is returned unchanged.
func Sorted(c net.Conn) net.Conn {
	if simulated, ok := c.(*sim.Conn); ok {
		return sorted{simulated}
	}
	return c
}

type sorted struct{ *sim.Conn }

// Write writes b with its channels sorted, which takes as many bytes.
func (s sorted) Write(b []byte) (int, error) { return s.Conn.Write(sortChannels(b)) }

// subscribes reports whether b may have a command whose name ends with "subscribe", in
// any case.
func subscribes(b []byte) bool {
	const name = "subscribe"
	for rest := b; ; {
		end := bytes.IndexByte(rest, '\r')
		if end < 0 {
			return false
		}
		if end >= len(name) && rest[end-1]|' ' == 'e' && bytes.EqualFold(rest[end-len(name):end], []byte(name)) {
			return true
		}
		rest = rest[end+1:]
	}
}

// sortChannels sorts the channels of every subscription in b. It changes only whole
// commands.
func sortChannels(b []byte) []byte {
	if !subscribes(b) {
		return b
	}
	var out []byte
	for rest := b; len(rest) > 0; {
		words, after, err := parseCommand(rest)
		if err != nil || words == nil {
			return b
		}
		if len(words) > 2 && strings.HasSuffix(strings.ToLower(words[0]), "subscribe") {
			slices.Sort(words[1:])
			out = append(out, encode(words...)...)
		} else {
			out = append(out, rest[:len(rest)-len(after)]...)
		}
		rest = after
	}
	return out
}
