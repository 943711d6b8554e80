package simh2

import (
	"encoding/binary"
	"fmt"
)

// kind is the type of a frame (RFC 9113, section 6).
type kind byte

const (
	kindData         kind = 0x0
	kindHeaders      kind = 0x1
	kindPriority     kind = 0x2
	kindRSTStream    kind = 0x3
	kindSettings     kind = 0x4
	kindPushPromise  kind = 0x5
	kindPing         kind = 0x6
	kindGoAway       kind = 0x7
	kindWindowUpdate kind = 0x8
	kindContinuation kind = 0x9
)

var kindNames = [...]string{"DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE", "CONTINUATION"}

func (k kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("frame of type %#x", byte(k))
}

const (
	flagEndStream  = 0x1 // of DATA and HEADERS
	flagAck        = 0x1 // of SETTINGS and PING
	flagEndHeaders = 0x4
	flagPadded     = 0x8
	flagPriority   = 0x20
)

const (
	// preface is what a client sends first.
	preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	// headerLen is the length of a frame's header.
	headerLen = 9
	// maxFrame is the longest payload of a frame that everyone takes.
	maxFrame = 16 << 10
	// maxStream is the largest number of a stream, and the largest window.
	maxStream = 1<<31 - 1
)

// frame is one frame.
type frame struct {
	kind   kind
	flags  byte
	stream uint32
	body   []byte
}

func (f *frame) has(flag byte) bool { return f.flags&flag != 0 }

// parseFrame reads the first frame of b. Without a whole one it answers false.
func parseFrame(b []byte) (f frame, rest []byte, whole bool) {
	if len(b) < headerLen {
		return f, b, false
	}
	end := headerLen + bodyLen(b)
	if len(b) < end {
		return f, b, false
	}
	f = frame{kind: kind(b[3]), flags: b[4], stream: streamOf(b), body: b[headerLen:end:end]}
	return f, b[end:], true
}

// bodyLen and streamOf read the header of a frame.
func bodyLen(header []byte) int {
	return int(header[0])<<16 | int(header[1])<<8 | int(header[2])
}

func streamOf(header []byte) uint32 {
	return binary.BigEndian.Uint32(header[5:headerLen]) & maxStream
}

// appendFrame appends a frame to b.
func appendFrame(b []byte, k kind, flags byte, stream uint32, body []byte) []byte {
	n := len(body)
	b = append(b, byte(n>>16), byte(n>>8), byte(n), byte(k), flags)
	b = binary.BigEndian.AppendUint32(b, stream)
	return append(b, body...)
}

// appendUint32Frame appends a frame whose body is a number: RST_STREAM, WINDOW_UPDATE.
func appendUint32Frame(b []byte, k kind, stream, n uint32) []byte {
	return appendFrame(b, k, 0, stream, binary.BigEndian.AppendUint32(nil, n))
}

// unpadded is the body without padding and, in HEADERS, without a priority.
func (f *frame) unpadded() ([]byte, error) {
	body, padding := f.body, 0
	if f.has(flagPadded) {
		if len(body) == 0 {
			return nil, fmt.Errorf("%v without the length of its padding", f.kind)
		}
		padding, body = int(body[0]), body[1:]
	}
	skip := 0
	if f.kind == kindHeaders && f.has(flagPriority) {
		skip = 5
	}
	if skip+padding > len(body) {
		return nil, fmt.Errorf("%v of %d bytes is shorter than its padding", f.kind, len(f.body))
	}
	return body[skip : len(body)-padding], nil
}

// number is the body of a WINDOW_UPDATE or RST_STREAM.
func (f *frame) number() (uint32, error) {
	if len(f.body) != 4 {
		return 0, fmt.Errorf("%v of %d bytes", f.kind, len(f.body))
	}
	return binary.BigEndian.Uint32(f.body), nil
}
