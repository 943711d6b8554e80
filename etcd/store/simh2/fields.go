package simh2

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/http2/hpack"
)

// tableSize is the size of the dynamic table of a decoder (the protocol's default).
// Nothing in this package encodes with a dynamic table.
const tableSize = 4096

// appendFields encodes header fields as literals: without tables and without Huffman's
// code, so that equal fields are equal bytes.
func appendFields(b []byte, fields []hpack.HeaderField) []byte {
	for _, f := range fields {
		b = append(b, 0) // a literal that is not indexed, with a new name
		b = appendString(b, f.Name)
		b = appendString(b, f.Value)
	}
	return b
}

// appendString encodes a string: its length in 7 bits or more, and its bytes.
func appendString(b []byte, s string) []byte {
	const most = 1<<7 - 1
	n := len(s)
	if n < most {
		b = append(b, byte(n))
	} else {
		b = append(b, most)
		for n -= most; n >= 1<<7; n >>= 7 {
			b = append(b, byte(n)|1<<7)
		}
		b = append(b, byte(n))
	}
	return append(b, s...)
}

// sortFields sorts header fields by name: those of the protocol first, as they must be.
// Values of one name stay in their order, which has a meaning.
func sortFields(fields []hpack.HeaderField) {
	slices.SortStableFunc(fields, func(a, b hpack.HeaderField) int {
		if a.IsPseudo() != b.IsPseudo() {
			if a.IsPseudo() {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Name, b.Name)
	})
}

// appendHeaders appends the frames of a block of header fields.
func appendHeaders(b []byte, stream uint32, flags byte, block []byte) []byte {
	k := kindHeaders
	for len(block) > maxFrame {
		b = appendFrame(b, k, flags&^flagEndHeaders, stream, block[:maxFrame])
		k, flags, block = kindContinuation, 0, block[maxFrame:]
	}
	return appendFrame(b, k, flags|flagEndHeaders, stream, block)
}

// value returns the value of a field, and "" if there is no field of that name.
func value(fields []hpack.HeaderField, name string) string {
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// blocks joins the frames of blocks of header fields, and decodes them.
type blocks struct {
	decoder *hpack.Decoder
	list    []hpack.HeaderField
	open    bool   // a block has begun and not ended
	stream  uint32 // of the open block
	flags   byte
	block   []byte
}

func newBlocks() *blocks {
	h := new(blocks)
	h.decoder = hpack.NewDecoder(tableSize, func(f hpack.HeaderField) { h.list = append(h.list, f) })
	return h
}

// add adds a frame that belongs to a block, or that arrives in the middle of one. It
// returns true when the block is complete.
func (h *blocks) add(f *frame) (done bool, err error) {
	switch {
	case !h.open && f.kind == kindContinuation, h.open && (f.kind != kindContinuation || f.stream != h.stream):
		return false, errorf(codeProtocol, "%v of stream %d in the middle of something else", f.kind, f.stream)
	case !h.open:
		body, err := f.unpadded()
		if err != nil {
			return false, errorf(codeProtocol, "%v", err)
		}
		h.stream, h.flags, h.block = f.stream, f.flags&flagEndStream, append(h.block[:0], body...)
	default:
		h.block = append(h.block, f.body...)
	}
	h.open = !f.has(flagEndHeaders)
	return !h.open, nil
}

// fields decodes the block that is complete. The result is good until the next call.
func (h *blocks) fields() ([]hpack.HeaderField, error) {
	h.list = h.list[:0]
	_, err := h.decoder.Write(h.block)
	if err == nil {
		err = h.decoder.Close()
	}
	if err != nil {
		return nil, errorf(codeCompression, "%v", err)
	}
	return h.list, nil
}
