package simh2

import (
	"bytes"
	"slices"
	"strings"
	"testing"
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
	for _, room := range []int{1, 7, len(stream)} {
		r := NewReader()
		var got []string
		var all []byte
		for part := range slices.Chunk(stream, room) {
			if err := r.Read(part, func(raw []byte, p *Part) {
				all = append(all, raw...)
				got = append(got, partText(p))
			}); err != nil {
				t.Fatalf("%d bytes at a time: %v", room, err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d bytes at a time:\n%s\nwant\n%s", room, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if !bytes.Equal(all, stream) {
			t.Errorf("%d bytes at a time: other bytes", room)
		}
	}
}

// TestReaderEnds: what belongs to something else is an error.
func TestReaderEnds(t *testing.T) {
	for name, stream := range map[string][]byte{
		"a block that is not continued": slices.Concat(appendFrame(nil, kindHeaders, 0, 1, []byte{0x82}), appendFrame(nil, kindPing, 0, 0, make([]byte, 8))),
		"a block of another stream":     slices.Concat(appendFrame(nil, kindHeaders, 0, 1, []byte{0x82}), appendFrame(nil, kindContinuation, flagEndHeaders, 3, []byte{0x82})),
		"an index that the table lacks": appendFrame(nil, kindHeaders, flagEndHeaders, 1, []byte{0xff, 0x80, 0x01}),
	} {
		if err := NewReader().Read(stream, func([]byte, *Part) {}); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
}

// FuzzReader: whatever comes, reading ends, and the frames are what came.
func FuzzReader(f *testing.F) {
	f.Add(appendData(nil, 3, []byte(message("abc")), true))
	f.Add(appendFrame([]byte(preface), kindSettings, 0, 0, nil))
	f.Add([]byte("\xff\xff\xff\x00\x00\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		var all []byte
		_ = NewReader().Read(stream, func(raw []byte, _ *Part) { all = append(all, raw...) }) // an error is as good
		if !bytes.HasPrefix(stream, all) {
			t.Errorf("%q of %q", all, stream)
		}
	})
}
