package simzk

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// decoder takes jute's values off the front of a frame, of any bytes. Once one
// of them is cut off or makes no sense, all further ones are zero.
type decoder struct {
	rest []byte
	bad  bool
}

// take returns the next n bytes of the frame itself.
func (d *decoder) take(n int) []byte {
	if d.bad || n < 0 || n > len(d.rest) {
		d.bad, d.rest = true, nil
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) bool() bool {
	b := d.take(1)
	return b != nil && b[0] != 0
}

func (d *decoder) int() int32 {
	b := d.take(4)
	if b == nil {
		return 0
	}
	return int32(binary.BigEndian.Uint32(b))
}

func (d *decoder) long() int64 {
	b := d.take(8)
	if b == nil {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

// buffer returns a copy of the bytes, or nil for jute's null.
func (d *decoder) buffer() []byte {
	n := d.int()
	if n == -1 {
		return nil
	}
	return bytes.Clone(d.take(int(n)))
}

// string returns a string. What is not UTF-8 in it becomes U+FFFD, as in Java. A null
// is malformed: it has no meaning in any request.
func (d *decoder) string() string {
	return strings.ToValidUTF8(string(d.take(int(d.int()))), "\uFFFD")
}

func (d *decoder) strings() []string {
	return vector(d, d.string)
}

func (d *decoder) acls() []acl {
	return vector(d, func() acl { return acl{perms: d.int(), scheme: d.string(), id: d.string()} })
}

// vector returns a vector's values, none for jute's null. It trusts the
// vector's length no further than there are bytes.
func vector[T any](d *decoder, next func() T) (values []T) {
	for range d.int() {
		value := next()
		if d.bad {
			return nil
		}
		values = append(values, value)
	}
	return values
}

// encoder appends jute's values to a frame.
type encoder struct{ frame []byte }

func (e *encoder) bool(v bool) {
	var b byte
	if v {
		b = 1
	}
	e.frame = append(e.frame, b)
}

func (e *encoder) int(v int32) { e.frame = binary.BigEndian.AppendUint32(e.frame, uint32(v)) }

func (e *encoder) long(v int64) { e.frame = binary.BigEndian.AppendUint64(e.frame, uint64(v)) }

// buffer appends bytes, or jute's null for nil.
func (e *encoder) buffer(v []byte) {
	if v == nil {
		e.int(-1)
		return
	}
	e.int(int32(len(v)))
	e.frame = append(e.frame, v...)
}

func (e *encoder) string(v string) {
	e.int(int32(len(v)))
	e.frame = append(e.frame, v...)
}

func (e *encoder) strings(v []string) {
	e.int(int32(len(v)))
	for _, s := range v {
		e.string(s)
	}
}

func (e *encoder) acls(v []acl) {
	e.int(int32(len(v)))
	for _, a := range v {
		e.int(a.perms)
		e.string(a.scheme)
		e.string(a.id)
	}
}

// stat appends what ZooKeeper reports about a znode besides its data. It counts the
// creations and the removals of children: two for each child that was created and
// removed.
func (e *encoder) stat(n *znode) {
	e.long(n.czxid)
	e.long(n.mzxid)
	e.long(n.ctime)
	e.long(n.mtime)
	e.int(n.version)
	e.int(2*n.cversion - int32(n.children.len()))
	e.int(n.aversion)
	e.long(n.ephemeralOwner)
	e.int(int32(len(n.data)))
	e.int(int32(n.children.len()))
	e.long(n.pzxid)
}
