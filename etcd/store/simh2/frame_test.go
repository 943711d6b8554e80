package simh2

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/net/http2/hpack"
)

// frames are frames in words, a line each, for comparisons.
func frames(b []byte) string {
	var lines []string
	if after, found := bytes.CutPrefix(b, []byte(preface)); found {
		lines, b = append(lines, "preface"), after
	}
	decoder := hpack.NewDecoder(tableSize, nil)
	for len(b) > 0 {
		f, rest, whole := parseFrame(b)
		if !whole {
			return strings.Join(append(lines, "cut off"), "\n")
		}
		b = rest
		text := fmt.Sprintf("%v %d", f.kind, f.stream)
		if f.flags != 0 {
			text += fmt.Sprintf(" flags %x", f.flags)
		}
		if f.kind == kindHeaders && f.has(flagEndHeaders) {
			fields, err := decoder.DecodeFull(f.body)
			if err != nil {
				text += " " + err.Error()
			}
			for _, field := range fields {
				text += fmt.Sprintf(" %s=%s", field.Name, field.Value)
			}
		} else {
			text += fmt.Sprintf(" %.40q", f.body)
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

// peer writes frames as a client library does: with a dynamic table.
type peer struct {
	b       []byte
	block   bytes.Buffer
	encoder *hpack.Encoder
}

func newPeer() *peer {
	p := &peer{}
	p.encoder = hpack.NewEncoder(&p.block)
	return p
}

// fields encodes header fields, given as names and values in turn.
func (p *peer) fields(fields ...string) []byte {
	p.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		_ = p.encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}) // a buffer takes everything
	}
	return bytes.Clone(p.block.Bytes())
}

// open opens a stream.
func (p *peer) open(stream uint32, fields ...string) {
	p.b = appendHeaders(p.b, stream, 0, p.fields(fields...))
}

func (p *peer) data(stream uint32, flags byte, data string) {
	p.b = appendFrame(p.b, kindData, flags, stream, []byte(data))
}

// message is a message of gRPC with its prefix.
func message(text string) string {
	return string([]byte{0, 0, 0, byte(len(text) >> 8), byte(len(text))}) + text
}

// take returns what was written since the last call.
func (p *peer) take() []byte {
	b := p.b
	p.b = nil
	return b
}
