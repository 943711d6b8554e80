package simh2

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestReader: a stream of bytes falls into frames, whose bytes are as they came, and fields are read by the tables of the
// connection.
func TestReader(t *testing.T) {
	p := newPeer()
	first := p.fields(":method", "POST", fieldPath, "/s/M", "user-agent", "somebody")
	again := p.fields(":method", "POST", fieldPath, "/s/M", "user-agent", "somebody")
	if len(again) >= len(first) {
		t.Fatal("the second block does not use the first one's table")
	}
	stream := slices.Concat(
		[]byte(preface), appendFrame(nil, kindSettings, 0, 0, nil),
		appendFrame(appendFrame(nil, kindHeaders, 0, 1, first[:4]), kindContinuation, flagEndHeaders, 1, first[4:]),
		appendData(nil, 1, []byte(message("abc"))[:6], false), appendFrame(nil, kindPing, 0, 0, make([]byte, 8)),
		appendHeaders(nil, 3, 0, again), appendData(nil, 1, []byte(message("abc") + message("d"))[6:], true),
		appendData(nil, 3, []byte(message("e")), false), appendUint32Frame(nil, kindRSTStream, 3, codeNone),
	)
	want := []string{"SETTINGS", "1 /s/M", "1", "PING", "3 /s/M", `1 "abc" "d" ends`, `3 "e"`, "3 reset"}
	for name, from := range map[string]io.Reader{"at once": bytes.NewReader(stream), "byte by byte": iotest.OneByteReader(bytes.NewReader(stream))} {
		r := NewReader()
		var got []string
		var all []byte
		for {
			raw, part, err := r.Next(from)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, raw...)
			got = append(got, partText(&part))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if !bytes.Equal(all, stream) {
			t.Errorf("%s: other bytes", name)
		}
	}
}

// TestReaderCut: a stream that ends within a frame is told from one that ends between two.
func TestReaderCut(t *testing.T) {
	frame := appendData(nil, 3, []byte(message("abc")), false)
	for n := range frame {
		want := io.ErrUnexpectedEOF
		if n == 0 {
			want = io.EOF
		}
		if _, _, err := NewReader().Next(bytes.NewReader(frame[:n])); !errors.Is(err, want) {
			t.Errorf("after %d bytes: %v, want %v", n, err, want)
		}
	}
}

// FuzzReader: whatever comes, reading ends, and the frames are what came.
func FuzzReader(f *testing.F) {
	f.Add(appendData(nil, 3, []byte(message("abc")), true))
	f.Add(appendFrame([]byte(preface), kindSettings, 0, 0, nil))
	f.Add([]byte("\xff\xff\xff\x00\x00\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		r, from := NewReader(), bytes.NewReader(stream)
		var all []byte
		for {
			raw, _, err := r.Next(from)
			if err != nil {
				break
			}
			all = append(all, raw...)
		}
		if !bytes.HasPrefix(stream, all) {
			t.Errorf("%q of %q", all, stream)
		}
	})
}
