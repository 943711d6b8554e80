package simh2

import (
	"bytes"
	"slices"
)

// Reader reads what one end of a connection sends, frame by frame. Unlike [Parts] it keeps what the connection has: the
// tables of header fields, and messages that are not whole yet. So it reads what any peer sends, and not only the ends of
// this package. One goroutine uses it.
type Reader struct {
	rest   []byte // of frames that are not whole
	begun  bool
	blocks *blocks
	data   map[uint32][]byte // of messages that are not whole, by stream
}

// NewReader returns a reader of a connection that begins.
func NewReader() *Reader { return &Reader{blocks: newBlocks(), data: map[uint32][]byte{}} }

// Read takes what has been sent, and calls each for each frame that is whole, with the frames that continue it, and
// before the first one with the client's preface: with their bytes as they came, and with what they carry. A message is
// in the part that has its last byte. The bytes are the callee's. After an error nothing more can be read.
func (r *Reader) Read(sent []byte, each func(raw []byte, p *Part)) error {
	r.rest = append(r.rest, sent...)
	for {
		n, p, err := r.first()
		if err != nil || n == 0 {
			return err
		}
		r.begun = true
		raw := slices.Clone(r.rest[:n])
		r.rest = r.rest[n:]
		each(raw, &p)
	}
}

// first is the length of the first frame, with those that continue it, and what they carry; 0 if they are not whole.
func (r *Reader) first() (n int, p Part, err error) {
	if !r.begun && len(r.rest) > 0 && bytes.HasPrefix([]byte(preface), r.rest[:min(len(r.rest), len(preface))]) {
		n = len(preface)
	}
	if whole, err := r.whole(n); !whole {
		return 0, p, err
	}
	one := partReader{blocks: r.blocks, at: map[uint32]int{}, data: r.data}
	for {
		f, after, _ := parseFrame(r.rest[n:])
		if err := one.take(&f); err != nil {
			return 0, p, err
		}
		n = len(r.rest) - len(after)
		if !r.blocks.open {
			break
		}
	}
	if len(one.parts) > 0 {
		p = one.parts[0]
	}
	r.messages(&p)
	return n, p, nil
}

// whole reports whether the frame at a place is whole, with those that continue it.
func (r *Reader) whole(at int) (bool, error) {
	for b, in := r.rest[min(at, len(r.rest)):], false; ; {
		f, after, whole := parseFrame(b)
		if !whole {
			return false, nil
		}
		if len(r.rest)-len(after)-at > mostHeaders && in {
			return false, errorf(codeProtocol, "header fields of more than %d bytes", mostHeaders)
		}
		in = (f.kind == kindHeaders || f.kind == kindContinuation) && !f.has(flagEndHeaders)
		if !in {
			return true, nil
		}
		b = after
	}
}

// mostHeaders is how many bytes of header fields are waited for.
const mostHeaders = 1 << 20

// messages moves those that are whole into a stream's part.
func (r *Reader) messages(p *Part) {
	if p.Stream == 0 {
		return
	}
	data := r.data[p.Stream]
	p.Messages = messagesIn(data)
	for _, m := range p.Messages {
		data = data[prefixLen+len(m):]
	}
	r.data[p.Stream] = data
	if p.Ends || p.Reset || len(data) == 0 {
		delete(r.data, p.Stream)
	}
}
