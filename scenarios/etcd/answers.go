package etcd

import "encoding/binary"

// answers divides what has arrived on a connection of HTTP/2 by streams: each wakes another
// goroutine of the client.
type answers struct {
	rest   []byte // has arrived and was not handed out
	head   []byte // the header of a frame, as far as it has come
	body   int    // the rest of the frame
	stream uint32 // that the last piece belongs to; 0 for none
}

// headerLen is the length of a frame's header (RFC 9113, section 4.1).
const headerLen = 9

// take hands out what comes next of one stream, with frames of the connection between.
func (a *answers) take(b []byte) int {
	n := copy(b, a.rest[:a.piece(min(len(b), len(a.rest)))])
	a.rest = a.rest[n:]
	return n
}

// piece is how much of the next n bytes does not belong to another stream than the first
// frame.
func (a *answers) piece(n int) int {
	a.stream = 0
	for at := 0; at < n; {
		if a.body > 0 {
			skip := min(a.body, n-at)
			at += skip
			a.body -= skip
			continue
		}
		begins := len(a.head) == 0
		more := min(headerLen-len(a.head), n-at)
		a.head = append(a.head, a.rest[at:at+more]...)
		if len(a.head) == headerLen {
			stream := binary.BigEndian.Uint32(a.head[5:]) & (1<<31 - 1)
			if stream != 0 && a.stream != 0 && stream != a.stream && begins {
				a.head = a.head[:0]
				return at
			}
			if stream != 0 {
				a.stream = stream
			}
			a.body = int(binary.BigEndian.Uint32(a.head) >> 8)
			a.head = a.head[:0]
		}
		at += more
	}
	return n
}
