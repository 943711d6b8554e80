package etcd

import "encoding/binary"

// answers divides the data that has arrived on a connection of HTTP/2 into pieces: by stream,
// since each wakes another goroutine of the client, and after each message of a stream. A
// client that gets a message and the end of its stream at once, or two messages of which the
// first makes it end the stream, would select between channels that are ready. The whole
// answer to a unary call is one piece. So is a GOAWAY with the frames before it: a goroutine
// that waits for a connection might otherwise use a new one before it is known to accept no
// more calls.
type answers struct {
	rest []byte // data that has arrived and was not handed out
	head []byte // the part of a frame's header that has arrived
	body int    // the rest of the frame
	// The last piece: its stream, 0 for none, whether the stream begins with it, its
	// number of messages, and whether it is a GOAWAY.
	stream   uint32
	opens    bool
	messages int
	goAway   bool
}

// frame is the header of a frame (RFC 9113, section 4.1).
type frame []byte

func (f frame) stream() uint32 { return binary.BigEndian.Uint32(f[5:]) & (1<<31 - 1) }
func (f frame) body() int      { return int(binary.BigEndian.Uint32(f) >> 8) }

// isData reports whether the frame is DATA, of which a server sends one for each message.
func (f frame) isData() bool { return f[3] == 0 }

// isHeaders reports whether the frame is HEADERS.
func (f frame) isHeaders() bool { return f[3] == 1 }

// isGoAway reports whether the frame is GOAWAY.
func (f frame) isGoAway() bool { return f[3] == 7 }

// ends reports whether the frame is the last of its stream: RST_STREAM, or one with
// END_STREAM.
func (f frame) ends() bool {
	const reset, endStream = 3, 1
	return f[3] == reset || (f.isData() || f.isHeaders()) && f[4]&endStream != 0
}

// headerLen is the length of a frame's header.
const headerLen = 9

// take hands out the next piece.
func (a *answers) take(b []byte) int {
	n := copy(b, a.rest[:a.piece(min(len(b), len(a.rest)))])
	a.rest = a.rest[n:]
	return n
}

// piece returns how many of the next n bytes are one piece.
func (a *answers) piece(n int) int {
	if a.body == 0 { // else the last piece was cut within a frame
		a.stream, a.opens, a.messages, a.goAway = 0, false, 0, false
	}
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
			f := frame(a.head)
			a.head = a.head[:0]
			if begins && at > 0 && !a.belongs(f) {
				return at
			}
			a.body = f.body()
			a.note(f)
		}
		at += more
	}
	return n
}

// belongs reports whether a frame belongs to the piece, which has a frame already.
func (a *answers) belongs(f frame) bool {
	stream := f.stream()
	switch {
	case f.isGoAway() || a.goAway:
		return false
	case stream == 0 || a.stream == 0:
		return true
	case stream != a.stream:
		return false
	case a.messages == 0:
		return true
	case f.isData():
		return false
	}
	return !f.ends() || a.opens && a.messages == 1
}

// note counts a frame of the piece.
func (a *answers) note(f frame) {
	stream := f.stream()
	if stream == 0 {
		a.goAway = f.isGoAway()
		return
	}
	if a.stream == 0 {
		a.opens = f.isHeaders()
	}
	a.stream = stream
	if f.isData() {
		a.messages++
	}
}
