package simetcd

import (
	"encoding/binary"
	"fmt"
)

// The wire types of protobuf's encoding.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// encoder writes a message in protobuf's encoding. Fields that have their default value are
// left out, as in proto3.
type encoder struct{ out []byte }

// encodable is a message that can be a field of another.
type encodable interface{ encode(e *encoder) }

// marshal is the encoding of a message.
func marshal(m encodable) []byte {
	var e encoder
	m.encode(&e)
	return e.out
}

func (e *encoder) tag(field, wire int) {
	e.out = binary.AppendUvarint(e.out, uint64(field)<<3|uint64(wire))
}

func (e *encoder) uint(field int, v uint64) {
	if v != 0 {
		e.tag(field, wireVarint)
		e.out = binary.AppendUvarint(e.out, v)
	}
}

func (e *encoder) int(field int, v int64) { e.uint(field, uint64(v)) }

func (e *encoder) bool(field int, v bool) {
	if v {
		e.uint(field, 1)
	}
}

func (e *encoder) string(field int, v string) {
	if v != "" {
		e.element(field, v)
	}
}

// element appends one of a repeated field of strings, which may be empty.
func (e *encoder) element(field int, v string) {
	e.tag(field, wireBytes)
	e.out = binary.AppendUvarint(e.out, uint64(len(v)))
	e.out = append(e.out, v...)
}

// message appends a message, which may be empty.
func (e *encoder) message(field int, m encodable) { e.element(field, string(marshal(m))) }

// decoder reads a message field by field. When it has met an error, it has no more fields
// and bad is set.
type decoder struct {
	rest  string
	bad   bool
	depth int // how many messages the message is within

	// The present field.
	field  int
	number uint64 // of a varint
	data   string // of bytes, a string or a message
}

// next goes to the next field. Fields of a wire type that no message here has are skipped.
func (d *decoder) next() bool {
	for len(d.rest) > 0 && !d.bad {
		tag := d.varint()
		d.field, d.number, d.data = int(tag>>3), 0, ""
		switch tag & 7 {
		case wireVarint:
			d.number = d.varint()
		case wireBytes:
			d.data = d.take(d.varint())
		case wireFixed64:
			d.take(8)
			continue
		case wireFixed32:
			d.take(4)
			continue
		default:
			d.bad = true
		}
		d.bad = d.bad || d.field == 0
		return !d.bad
	}
	return false
}

func (d *decoder) varint() uint64 {
	head := d.rest[:min(len(d.rest), binary.MaxVarintLen64)]
	v, n := binary.Uvarint([]byte(head))
	if n <= 0 {
		d.bad, d.rest = true, ""
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) take(n uint64) string {
	if n > uint64(len(d.rest)) {
		d.bad, d.rest = true, ""
		return ""
	}
	data := d.rest[:n]
	d.rest = d.rest[n:]
	return data
}

func (d *decoder) int() int64 { return int64(d.number) }

// enum is the value of an enumeration, which has 32 bits.
func (d *decoder) enum() int32 { return int32(d.number) }

func (d *decoder) bool() bool { return d.number != 0 }

// into sets the one of the fields that is the present one: they are numbered from 1. Nil is one
// that is not read, and so are those after the last.
func (d *decoder) into(fields ...any) {
	if d.field > len(fields) {
		return
	}
	switch f := fields[d.field-1].(type) {
	case *string:
		*f = d.data
	case *bool:
		*f = d.bool()
	case *int32:
		*f = d.enum()
	case *int64:
		*f = d.int()
	case nil:
	default:
		panic(fmt.Sprintf("simetcd: a field of type %T", f))
	}
}

// decodable is a message that sets one of its fields at a time.
type decodable interface{ set(d *decoder) }

// unmarshal reads a message. Unknown fields are skipped.
func unmarshal(data string, into decodable) bool {
	d := decoder{rest: data}
	return d.read(into)
}

func (d *decoder) read(into decodable) bool {
	for d.next() {
		into.set(d)
	}
	return !d.bad
}

// sub reads the message that is the present field into another.
func (d *decoder) sub(into decodable) {
	within := decoder{rest: d.data, depth: d.depth + 1}
	if !within.read(into) {
		d.bad = true
	}
}
