package simh2

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// arrangement puts the frames that a client has written in one step into an order that
// does not depend on the scheduler.
type arrangement struct {
	numbers   *numbers
	unordered func(method string) bool
	greeted   bool   // the preface has been sent
	rest      []byte // of a frame that is not whole yet
	blocks    *blocks
	streams   map[uint32]*outgoing // by the client's numbers

	// Of the present step.
	connection []frame
	window     uint64
	active     []*outgoing
}

// outgoing is what a client sends in a stream.
type outgoing struct {
	client, wire uint32 // its numbers; wire is 0 before it is opened there
	sorts        bool   // its messages have no order
	torn         bool   // a step ended in the middle of a message

	// Of the present step.
	active bool
	block  []byte // its header fields, if it begins
	data   []byte
	ends   bool
	window uint64
	reset  []byte
}

func newArrangement(n *numbers, unordered func(string) bool) *arrangement {
	if unordered == nil {
		unordered = func(string) bool { return false }
	}
	return &arrangement{numbers: n, unordered: unordered, blocks: newBlocks(), streams: map[uint32]*outgoing{}}
}

// arrange is the canonical form of what was written in a step. It is for the conductor.
func (a *arrangement) arrange(written []byte) (out []byte) {
	b := slices.Concat(a.rest, written)
	if !a.greeted {
		if len(b) < len(preface) && strings.HasPrefix(preface, string(b)) {
			a.rest = b
			return nil
		}
		after, found := bytes.CutPrefix(b, []byte(preface))
		if !found {
			panic(fmt.Sprintf("simh2: a client of HTTP/2 begins with %.24q", b))
		}
		a.greeted, out, b = true, []byte(preface), after
	}
	for {
		f, after, whole := parseFrame(b)
		if !whole {
			break
		}
		if err := a.take(&f); err != nil {
			panic(err)
		}
		b = after
	}
	a.rest = slices.Clone(b)
	out = a.appendConnection(out)
	return a.appendStreams(out)
}

// take notes a frame.
func (a *arrangement) take(f *frame) error {
	switch {
	case f.kind == kindHeaders, f.kind == kindContinuation, a.blocks.open:
		done, err := a.blocks.add(f)
		if !done || err != nil {
			return err
		}
		return a.open()
	case f.kind == kindPriority: // it has no meaning since RFC 9113
		return nil
	case f.stream == 0:
		return a.takeConnection(f)
	case a.streams[f.stream] == nil:
		return errorf(codeProtocol, "the client sends %v in stream %d, which it has not opened", f.kind, f.stream)
	}
	return a.takeStream(a.streams[f.stream], f)
}

// open begins a stream with the block of header fields that is complete.
func (a *arrangement) open() error {
	fields, err := a.blocks.fields()
	if err != nil {
		return err
	}
	number := a.blocks.stream
	if a.streams[number] != nil {
		return errorf(codeProtocol, "the client sends HEADERS twice in stream %d", number)
	}
	sortFields(fields)
	s := &outgoing{client: number, sorts: a.unordered(value(fields, fieldPath)), block: appendFields(nil, fields), ends: a.blocks.flags&flagEndStream != 0}
	a.streams[number] = s
	a.activate(s)
	return nil
}

// activate puts a stream on the list of those with frames in this step.
func (a *arrangement) activate(s *outgoing) {
	if !s.active {
		s.active = true
		a.active = append(a.active, s)
	}
}

// takeConnection notes a frame that concerns the connection.
func (a *arrangement) takeConnection(f *frame) error {
	switch f.kind {
	case kindSettings, kindPing, kindGoAway:
		a.connection = append(a.connection, *f)
	case kindWindowUpdate:
		n, err := f.number()
		a.window += uint64(n)
		return err
	default:
		return errorf(codeProtocol, "the client sends %v, not in a stream", f.kind)
	}
	return nil
}

// takeStream notes a frame of a stream.
func (a *arrangement) takeStream(s *outgoing, f *frame) error {
	a.activate(s)
	switch f.kind {
	case kindData:
		body, err := f.unpadded()
		if err != nil {
			return err
		}
		s.data = append(s.data, body...)
		s.ends = s.ends || f.has(flagEndStream)
	case kindWindowUpdate:
		n, err := f.number()
		s.window += uint64(n)
		return err
	case kindRSTStream:
		s.reset = f.body
	default:
		return errorf(codeProtocol, "the client sends %v in a stream", f.kind)
	}
	return nil
}

// rank is the place of a frame among those of the connection: settings come first, as
// they must, and a GOAWAY comes last.
func rank(f frame) int {
	switch {
	case f.kind == kindSettings && !f.has(flagAck):
		return 0
	case f.kind == kindSettings:
		return 1
	case f.kind == kindPing && f.has(flagAck):
		return 2
	case f.kind == kindPing:
		return 3
	}
	return 4
}

// appendConnection appends the frames of the connection.
func (a *arrangement) appendConnection(out []byte) []byte {
	slices.SortStableFunc(a.connection, func(a, b frame) int {
		if r := cmp.Compare(rank(a), rank(b)); r != 0 || a.kind == kindSettings {
			return r // settings have an order
		}
		return bytes.Compare(a.body, b.body)
	})
	for _, f := range a.connection {
		out = appendFrame(out, f.kind, f.flags, 0, f.body)
	}
	out = appendWindow(out, 0, a.window)
	a.connection, a.window = a.connection[:0], 0
	return out
}

// appendWindow appends what a window grows by.
func appendWindow(out []byte, stream uint32, n uint64) []byte {
	for n > 0 {
		part := min(n, maxStream)
		out = appendUint32Frame(out, kindWindowUpdate, stream, uint32(part))
		n -= part
	}
	return out
}

// appendStreams appends the frames of streams: of those that are known in the order of
// their numbers, and of new ones in the order of their content.
func (a *arrangement) appendStreams(out []byte) []byte {
	for _, s := range a.active {
		s.settle()
	}
	slices.SortFunc(a.active, func(a, b *outgoing) int {
		return cmp.Or(cmp.Compare(a.order(), b.order()), bytes.Compare(a.block, b.block), bytes.Compare(a.data, b.data), cmp.Compare(a.client, b.client))
	})
	for _, s := range a.active {
		switch {
		case s.wire > 0:
		case s.reset != nil: // it might as well have been given up before it was opened
			delete(a.streams, s.client)
			continue
		default:
			s.wire = a.numbers.add(s.client)
			out = appendHeaders(out, s.wire, s.endsNow(), s.block)
		}
		out = s.append(out)
	}
	clear(a.active)
	a.active = a.active[:0]
	return out
}

// order is the number of a stream on the wire. Those without one come last.
func (s *outgoing) order() uint32 {
	if s.wire == 0 {
		return maxStream
	}
	return s.wire
}

// settle takes from what was written what depends on the scheduler: whether data of a
// stream that is reset had left before, and the order of messages that have none.
func (s *outgoing) settle() {
	switch {
	case s.reset != nil:
		s.data, s.ends = nil, false
	case len(s.data) > 0:
		messages, whole := splitMessages(s.data)
		if s.sorts && whole && !s.torn {
			slices.SortFunc(messages, bytes.Compare)
			s.data = bytes.Join(messages, nil)
		}
		s.torn = s.torn || !whole
	}
}

// endsNow is the flag of a stream that ends with its header fields.
func (s *outgoing) endsNow() byte {
	if s.ends && len(s.data) == 0 {
		s.ends = false
		return flagEndStream
	}
	return 0
}

// append appends what is sent in a stream that is open, and forgets it.
func (s *outgoing) append(out []byte) []byte {
	out = appendWindow(out, s.wire, s.window)
	if len(s.data) > 0 || s.ends {
		out = appendData(out, s.wire, s.data, s.ends)
	}
	if s.reset != nil {
		out = appendFrame(out, kindRSTStream, 0, s.wire, s.reset)
	}
	*s = outgoing{client: s.client, wire: s.wire, sorts: s.sorts, torn: s.torn}
	return out
}

// appendData appends data in as few frames as it takes.
func appendData(out []byte, stream uint32, data []byte, ends bool) []byte {
	for len(data) > maxFrame {
		out = appendFrame(out, kindData, 0, stream, data[:maxFrame])
		data = data[maxFrame:]
	}
	flags := byte(0)
	if ends {
		flags = flagEndStream
	}
	return appendFrame(out, kindData, flags, stream, data)
}

// splitMessages divides data into the messages of gRPC that it consists of, each with its
// prefix. It answers false if it does not end with one.
func splitMessages(data []byte) (messages [][]byte, whole bool) {
	for len(data) > 0 {
		n, complete := messageLen(data)
		if !complete {
			return messages, false
		}
		messages = append(messages, data[:n:n])
		data = data[n:]
	}
	return messages, true
}

// prefixLen is the length of what precedes a message of gRPC: whether it is compressed,
// and its length.
const prefixLen = 5

// messageLen is the length of the first message in data with its prefix, and whether data
// has it whole.
func messageLen(data []byte) (n int, whole bool) {
	if len(data) < prefixLen {
		return 0, false
	}
	n = prefixLen + int(binary.BigEndian.Uint32(data[1:]))
	return n, n <= len(data)
}

// fieldPath is the header field with a request's method.
const fieldPath = ":path"
