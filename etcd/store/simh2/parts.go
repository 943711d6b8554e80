package simh2

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/http2/hpack"
)

// Part is what a segment carries of one stream, or a frame that concerns the connection.
type Part struct {
	// Stream is the number of the stream, 0 for the connection.
	Stream uint32
	// Frame is the type of a frame of the connection, such as "PING".
	Frame string
	// Method is set where a client begins a call ("/package.Service/Method").
	Method string
	// Messages are those that the segment has whole, without gRPC's prefix.
	Messages [][]byte
	// Ends is set at the end of what the sender sends in the stream, and Reset if it gives
	// the stream up.
	Ends, Reset bool
	// Code and Text are the status with which a server ends a call, 0 if it succeeded.
	Code int
	Text string
}

// Parts reads a segment that [Client] or [Serve] has sent: one part for each stream, and for
// each frame of the connection, in their order. It accepts any bytes, and returns false if
// they are not such a segment.
func Parts(segment []byte) (parts []Part, known bool) {
	rest, begins := strings.CutPrefix(string(segment), preface)
	r := partReader{blocks: newBlocks(), at: map[uint32]int{}, data: map[uint32][]byte{}}
	b := []byte(rest)
	for len(b) > 0 {
		f, after, whole := parseFrame(b)
		if !whole || r.take(&f) != nil {
			return nil, false
		}
		b = after
	}
	for i := range r.parts {
		if p := &r.parts[i]; p.Stream != 0 {
			p.Messages = messagesIn(r.data[p.Stream])
		}
	}
	return r.parts, begins || len(r.parts) > 0
}

// partReader reads the frames of a segment.
type partReader struct {
	blocks *blocks
	parts  []Part
	at     map[uint32]int    // where the part of a stream is
	data   map[uint32][]byte // by stream
}

func (r *partReader) take(f *frame) error {
	switch {
	case f.kind == kindHeaders, f.kind == kindContinuation, r.blocks.open:
		done, err := r.blocks.add(f)
		if err != nil || !done {
			return err
		}
		fields, err := r.blocks.fields()
		if err != nil {
			return err
		}
		r.of(r.blocks.stream).headers(fields, r.blocks.flags)
	case f.stream == 0:
		r.parts = append(r.parts, Part{Frame: f.kind.String()})
	case f.kind == kindData:
		body, err := f.unpadded()
		if err != nil {
			return err
		}
		r.data[f.stream] = append(r.data[f.stream], body...)
		r.of(f.stream).Ends = f.has(flagEndStream)
	case f.kind == kindRSTStream:
		p := r.of(f.stream)
		p.Reset = !p.Ends // a server ends the client's half by it
	}
	return nil
}

// of is the part of a stream.
func (r *partReader) of(stream uint32) *Part {
	at, known := r.at[stream]
	if !known {
		at = len(r.parts)
		r.at[stream] = at
		r.parts = append(r.parts, Part{Stream: stream})
	}
	return &r.parts[at]
}

// headers reads the fields that a call, its answer or its end begins with.
func (p *Part) headers(fields []hpack.HeaderField, flags byte) {
	if method := value(fields, fieldPath); method != "" {
		p.Method = method
	}
	if code := value(fields, "grpc-status"); code != "" {
		p.Code, _ = strconv.Atoi(code)
		p.Text = value(fields, "grpc-message")
		if text, err := url.PathUnescape(p.Text); err == nil {
			p.Text = text
		}
	}
	p.Ends = flags&flagEndStream != 0
}

// messagesIn are the whole messages that data begin with.
func messagesIn(data []byte) (list [][]byte) {
	messages, _ := splitMessages(data)
	for _, m := range messages {
		list = append(list, m[prefixLen:])
	}
	return list
}
