package simh2

import (
	"encoding/binary"
	"strings"
	"testing"
)

// swapped are numbers of three streams that a client opened in one step as 3, 1, and then 5.
func swapped() *numbers {
	n := new(numbers)
	for _, client := range []uint32{3, 1, 5} {
		n.add(client)
	}
	return n
}

func goAway(last uint32) []byte {
	return appendFrame(nil, kindGoAway, 0, 0, append(binary.BigEndian.AppendUint32(nil, last), 0, 0, 0, 0, 'b', 'y', 'e'))
}

// TestTranslate: what a server sends has the client's numbers, in whatever parts it comes
// and is read.
func TestTranslate(t *testing.T) {
	var sent []byte
	for wire := uint32(1); wire <= 5; wire += 2 {
		sent = appendFrame(sent, kindData, 0, wire, []byte(strings.Repeat("x", int(wire))))
	}
	sent = appendFrame(sent, kindPing, 0, 0, make([]byte, 8))
	sent = append(sent, goAway(3)...)
	sent = append(sent, goAway(maxStream)...)
	const want = `DATA 3 "x"
DATA 1 "xxx"
DATA 5 "xxxxx"
PING 0 "\x00\x00\x00\x00\x00\x00\x00\x00"
GOAWAY 0 "\x00\x00\x00\x03\x00\x00\x00\x00bye"
GOAWAY 0 "\x7f\xff\xff\xff\x00\x00\x00\x00bye"`
	for part := 1; part <= len(sent); part++ {
		in := translation{numbers: swapped()}
		var got []byte
		for rest := sent; len(rest) > 0; {
			n := copy(in.room(), rest[:min(part, len(rest))])
			rest = rest[n:]
			if err := in.add(n); err != nil {
				t.Fatal(err)
			}
			b := make([]byte, 7)
			for n := in.take(b); n > 0; n = in.take(b) {
				got = append(got, b[:n]...)
			}
		}
		if frames(got) != want {
			t.Fatalf("in parts of %d bytes:\n%s\nwant\n%s", part, frames(got), want)
		}
	}
}

// TestTranslateRefuses: what cannot be translated.
func TestTranslateRefuses(t *testing.T) {
	for want, sent := range map[string][]byte{
		"between streams that were opened in one step": goAway(1),
		"stream 7, which nobody has opened":            appendFrame(nil, kindData, 0, 7, nil),
		"stream 2, which nobody has opened":            appendFrame(nil, kindData, 0, 2, nil),
		"PUSH_PROMISE":                                 appendFrame(nil, kindPushPromise, 0, 1, nil),
	} {
		in := translation{numbers: swapped()}
		err := in.add(copy(in.room(), sent))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}
