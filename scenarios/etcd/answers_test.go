package etcd

import (
	"bytes"
	"slices"
	"testing"
)

// frame is one of HTTP/2 with a body of so many bytes.
func frame(stream byte, body int) []byte {
	return append([]byte{0, 0, byte(body), 0, 0, 0, 0, 0, stream}, make([]byte, body)...)
}

// TestAnswers: what has come is handed out in pieces of one stream each, however it was cut,
// and nothing is lost.
func TestAnswers(t *testing.T) {
	wire := slices.Concat(frame(1, 4), frame(1, 0), frame(0, 8), frame(1, 2), frame(3, 5), frame(1, 1), frame(0, 4))
	for cut := range len(wire) + 1 {
		var a answers
		var got []byte
		var pieces []int
		for _, part := range [][]byte{wire[:cut], wire[cut:]} {
			a.rest = part
			for len(a.rest) > 0 {
				b := make([]byte, len(wire))
				n := a.take(b)
				if n == 0 {
					t.Fatalf("cut at %d: nothing is handed out", cut)
				}
				got, pieces = append(got, b[:n]...), append(pieces, n)
			}
		}
		if !bytes.Equal(got, wire) {
			t.Errorf("cut at %d: other bytes", cut)
		}
		if cut == 0 && !slices.Equal(pieces, []int{13 + 9 + 17 + 11, 14, 10 + 13}) {
			t.Errorf("pieces of %d bytes", pieces)
		}
	}
}
