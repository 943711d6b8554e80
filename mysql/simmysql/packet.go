package simmysql

import (
	"encoding/binary"
	"math"
	"slices"
)

// maxPacket is the longest packet that a server takes, and max_allowed_packet.
const maxPacket = 1<<24 - 1

// headerLen is the length of a packet's header: the length of what follows in three bytes, and
// a number in the sequence of packets.
const headerLen = 4

// cutPacket cuts off the first packet, if it is whole. A packet of the greatest length, which would
// continue in the next one, is too large.
func cutPacket(in []byte) (sequence byte, body, rest []byte, whole bool, err error) {
	if len(in) < headerLen {
		return 0, nil, in, false, nil
	}
	size := int(in[0]) | int(in[1])<<8 | int(in[2])<<16
	if size == maxPacket {
		return 0, nil, in, false, errTooLarge
	}
	if len(in) < headerLen+size {
		return 0, nil, in, false, nil
	}
	return in[3], in[headerLen : headerLen+size], in[headerLen+size:], true, nil
}

// encoder writes packets one after the other, each with the next number.
type encoder struct {
	out      []byte
	sequence byte
	start    int // of the present packet
}

// begin begins a packet.
func (e *encoder) begin() {
	e.start = len(e.out)
	e.out = append(e.out, 0, 0, 0, e.sequence)
	e.sequence++
}

// end ends the packet. What is too long for one packet continues in others; the last one is shorter
// than the others, and may be empty.
func (e *encoder) end() {
	for len(e.out)-e.start-headerLen >= maxPacket {
		e.size(maxPacket)
		e.start += headerLen + maxPacket
		e.out = slices.Insert(e.out, e.start, 0, 0, 0, e.sequence)
		e.sequence++
	}
	e.size(len(e.out) - e.start - headerLen)
}

// size writes the length of the present packet.
func (e *encoder) size(size int) {
	e.out[e.start], e.out[e.start+1], e.out[e.start+2] = byte(size), byte(size>>8), byte(size>>16)
}

func (e *encoder) byte(b ...byte) { e.out = append(e.out, b...) }

func (e *encoder) uint16(n uint16) { e.out = binary.LittleEndian.AppendUint16(e.out, n) }

func (e *encoder) uint32(n uint32) { e.out = binary.LittleEndian.AppendUint32(e.out, n) }

func (e *encoder) uint64(n uint64) { e.out = binary.LittleEndian.AppendUint64(e.out, n) }

// terminated writes a text with a zero after it.
func (e *encoder) terminated(s string) { e.out = append(append(e.out, s...), 0) }

// length writes a number in as many bytes as it needs.
func (e *encoder) length(n uint64) {
	switch {
	case n < 0xfb:
		e.byte(byte(n))
	case n < 1<<16:
		e.byte(0xfc)
		e.uint16(uint16(n))
	case n < 1<<24:
		e.byte(0xfd, byte(n), byte(n>>8), byte(n>>16))
	default:
		e.byte(0xfe)
		e.uint64(n)
	}
}

// text writes a text with its length before it.
func (e *encoder) text(s string) {
	e.length(uint64(len(s)))
	e.out = append(e.out, s...)
}

// decoder reads a packet. Behind its end everything is zero, and bad is set.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) take(n int) []byte {
	if n < 0 || n > len(d.rest) {
		d.bad, d.rest = true, nil
		return make([]byte, min(max(n, 0), 8))
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) byte() byte { return d.take(1)[0] }

func (d *decoder) uint16() uint16 { return binary.LittleEndian.Uint16(d.take(2)) }

func (d *decoder) uint32() uint32 { return binary.LittleEndian.Uint32(d.take(4)) }

func (d *decoder) uint64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }

// length returns a number in as many bytes as it needs.
func (d *decoder) length() uint64 {
	switch b := d.byte(); b {
	case 0xfc:
		return uint64(d.uint16())
	case 0xfd:
		t := d.take(3)
		return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16
	case 0xfe:
		return d.uint64()
	case 0xfb, 0xff:
		d.bad = true
		return 0
	default:
		return uint64(b)
	}
}

// text returns a text with its length before it.
func (d *decoder) text() string {
	n := d.length()
	if n > uint64(len(d.rest)) {
		d.bad, d.rest = true, nil
		return ""
	}
	return string(d.take(int(n)))
}

// terminated returns a text up to a zero.
func (d *decoder) terminated() string {
	for i, b := range d.rest {
		if b == 0 {
			s := string(d.rest[:i])
			d.rest = d.rest[i+1:]
			return s
		}
	}
	d.bad, d.rest = true, nil
	return ""
}

func (d *decoder) float64() float64 { return math.Float64frombits(d.uint64()) }

// Commands of the protocol.
const (
	comQuit            byte = 1
	comInitDB          byte = 2
	comQuery           byte = 3
	comPing            byte = 14
	comStmtPrepare     byte = 22
	comStmtExecute     byte = 23
	comStmtLongData    byte = 24
	comStmtClose       byte = 25
	comStmtReset       byte = 26
	comResetConnection byte = 31

	// The last command of MySQL's protocol, and the first of MariaDB's own.
	lastCommand    byte = 32
	firstOfMariaDB byte = 0xfa
)
