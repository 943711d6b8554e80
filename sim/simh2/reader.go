package simh2

import "io"

// Reader reads what one end of a connection sends, frame by frame. Unlike [Parts] it keeps what the connection has: the
// tables of header fields, and messages that are not whole yet. So it reads what any peer sends, and not only the ends of
// this package. One goroutine uses it.
type Reader struct {
	blocks *blocks
	data   map[uint32][]byte // of messages that are not whole, by stream
	begun  bool
}

// NewReader returns a reader of a connection that begins.
func NewReader() *Reader { return &Reader{blocks: newBlocks(), data: map[uint32][]byte{}} }

// Next reads a frame with those that continue it, and before the first one the client's preface. It returns their bytes as they
// came, and what they carry: a message is in the part that has its last byte. The error is [io.EOF] between two frames.
func (r *Reader) Next(from io.Reader) (raw []byte, p Part, err error) {
	for {
		at := 0
		if raw, at, err = r.frame(from, raw); err != nil {
			return nil, Part{}, err
		}
		f, _, _ := parseFrame(raw[at:])
		one := partReader{blocks: r.blocks, at: map[uint32]int{}, data: r.data}
		if err := one.take(&f); err != nil {
			return nil, Part{}, err
		}
		if r.blocks.open {
			continue
		}
		if len(one.parts) > 0 {
			p = one.parts[0]
		}
		r.messages(&p)
		return raw, p, nil
	}
}

// frame appends the bytes of the next frame, which begins at the place that it returns.
func (r *Reader) frame(from io.Reader, raw []byte) (all []byte, at int, err error) {
	raw, err = readMore(from, raw, headerLen)
	if err == nil && !r.begun && string(raw) == preface[:headerLen] {
		at = len(preface)
		raw, err = readMore(from, raw, len(preface))
	}
	if err != nil {
		return nil, 0, err
	}
	if at == 0 {
		at = len(raw) - headerLen
	}
	r.begun = true
	raw, err = readMore(from, raw, bodyLen(raw[at:]))
	return raw, at, err
}

// readMore appends so many bytes. They are read as they come, so that a length that nothing follows takes no memory.
func readMore(from io.Reader, raw []byte, n int) ([]byte, error) {
	const most = 64 << 10
	for n > 0 {
		at, part := len(raw), min(n, most)
		raw = append(raw, make([]byte, part)...)
		if read, err := io.ReadFull(from, raw[at:]); err != nil {
			if at+read > 0 && err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		n -= part
	}
	return raw, nil
}

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
