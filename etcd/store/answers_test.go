package etcd

import (
	"bytes"
	"slices"
	"testing"
)

// data is a frame of a stream with a message of so many bytes.
func data(stream byte, body int) []byte {
	return append([]byte{0, 0, byte(body), 0, 0, 0, 0, 0, stream}, make([]byte, body)...)
}

// headers is a frame that begins or, with the flag, ends a stream.
func headers(stream byte, flags byte) []byte {
	return []byte{0, 0, 2, 1, 4 | flags, 0, 0, 0, stream, 0x88, 0x88}
}

// ping and window are frames of the connection and of a stream that carry no message.
func ping() []byte              { return append([]byte{0, 0, 8, 6, 0, 0, 0, 0, 0}, make([]byte, 8)...) }
func goAway() []byte            { return append([]byte{0, 0, 8, 7, 0, 0, 0, 0, 0}, make([]byte, 8)...) }
func window(stream byte) []byte { return []byte{0, 0, 4, 8, 0, 0, 0, 0, stream, 0, 0, 1, 0} }
func reset(stream byte) []byte  { return []byte{0, 0, 4, 3, 0, 0, 0, 0, stream, 0, 0, 0, 0} }

const end = 1

// TestAnswers: what has come is handed out piece by piece, however it was cut, and nothing is
// lost.
func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		name   string
		pieces [][]byte
	}{
		{"streams", [][]byte{slices.Concat(data(1, 4), window(1), ping()), data(3, 5), slices.Concat(data(1, 1), ping())}},
		{"the end of calls", [][]byte{slices.Concat(ping(), ping()), goAway(), slices.Concat(data(1, 4), ping()), goAway(), goAway(), ping()}},
		{"answers to calls", [][]byte{slices.Concat(headers(1, 0), data(1, 4), headers(1, end)), slices.Concat(headers(3, 0), data(3, 9), headers(3, end))}},
		{"an error", [][]byte{headers(1, end), slices.Concat(headers(3, 0), headers(3, end))}},
		{"messages", [][]byte{slices.Concat(headers(1, 0), data(1, 4)), data(1, 3), data(1, 2)}},
		{"the end after messages", [][]byte{slices.Concat(headers(1, 0), data(1, 4)), data(1, 3), headers(1, end), data(3, 2), headers(3, end), data(5, 1), reset(5)}},
		{"an early end", [][]byte{slices.Concat(headers(1, 0), data(1, 4), reset(1)), reset(3)}},
	} {
		t.Run(test.name, func(t *testing.T) { handsOut(t, test.pieces) })
	}
}

// handsOut hands out the pieces, which come at once or in two parts, with so much room at a time.
func handsOut(t *testing.T, pieces [][]byte) {
	wire := slices.Concat(pieces...)
	for cut := range len(wire) {
		for room := 1; room <= len(wire); room++ {
			var a answers
			var got [][]byte
			for _, part := range [][]byte{wire[:cut], wire[cut:]} {
				a.rest = part
				for len(a.rest) > 0 {
					b := make([]byte, room)
					n := a.take(b)
					if n == 0 {
						t.Fatalf("cut at %d, room for %d: nothing is handed out", cut, room)
					}
					got = append(got, b[:n])
				}
			}
			if all := slices.Concat(got...); !bytes.Equal(all, wire) {
				t.Errorf("cut at %d, room for %d: other bytes: %x", cut, room, all)
			}
			if cut == 0 && room == len(wire) && !slices.EqualFunc(got, pieces, bytes.Equal) {
				t.Errorf("pieces %x, want %x", got, pieces)
			}
			apart(t, pieces, got)
		}
	}
}

// apart: nothing that was handed out at once has the ends of streams' frames of two pieces.
func apart(t *testing.T, pieces, got [][]byte) {
	t.Helper()
	var of []int // the piece whose frame ends at each byte, from 1; 0 if none does
	for i, piece := range pieces {
		for rest := piece; len(rest) > 0; {
			n := headerLen + frame(rest).body()
			of = append(of, make([]int, n)...)
			if frame(rest).stream() != 0 {
				of[len(of)-1] = i + 1
			}
			rest = rest[n:]
		}
	}
	at := 0
	for _, g := range got {
		ends := slices.DeleteFunc(slices.Clone(of[at:at+len(g)]), func(i int) bool { return i == 0 })
		if at += len(g); len(slices.Compact(ends)) > 1 {
			t.Fatalf("bytes %d to %d end frames of several pieces", at-len(g), at)
		}
	}
}
