package simredis

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/alicebob/miniredis/v2/server"
)

// Limits on what a request may announce, as in Redis.
const (
	maxArgs = math.MaxInt32
	maxBulk = 512 << 20
	maxLine = 64 << 10
)

// parseCommand takes one command off the front of in: a RESP array of bulk
// strings, or else an inline command, which is a line of words. Without a whole
// one it returns no arguments and all of in.
func parseCommand(in []byte) (args []string, rest []byte, err error) {
	if len(in) == 0 {
		return nil, in, nil
	}
	if in[0] != '*' {
		return parseInline(in)
	}
	n, rest, err := parseLength(in, maxArgs, "mbulk count string", "multibulk length")
	if err != nil || rest == nil {
		return nil, in, err
	}
	// Announced data may never arrive: memory is allocated only for data that has.
	var some [8]extent
	words := some[:0]
	for range n {
		if len(rest) == 0 {
			return nil, in, nil
		}
		if rest[0] != '$' {
			return nil, in, fmt.Errorf("ERR Protocol error: expected '$', got '%c'", rest[0])
		}
		var size int
		size, rest, err = parseLength(rest, maxBulk, "bulk count string", "bulk length")
		if err == nil && rest != nil && size < 0 {
			err = errors.New("ERR Protocol error: invalid bulk length")
		}
		if err != nil || len(rest) < size+2 {
			return nil, in, err
		}
		words = append(words, extent{len(in) - len(rest), size})
		rest = rest[size+2:] // whatever ends it is taken for a line break
	}
	text := string(in[:len(in)-len(rest)])
	args = make([]string, len(words))
	for i, w := range words {
		args[i] = text[w.from : w.from+w.size]
	}
	return args, rest, nil
}

// extent is the place of a word.
type extent struct{ from, size int }

// parseLength reads a line such as "*3\r\n"; rest is nil if there is no whole
// one yet.
func parseLength(in []byte, most int, line, length string) (n int, rest []byte, err error) {
	end := bytes.IndexByte(in, '\r')
	switch {
	case end < 0 && len(in) > maxLine:
		return 0, nil, errors.New("ERR Protocol error: too big " + line)
	case end < 0 || end+1 == len(in):
		return 0, nil, nil
	}
	v, ok := small(in[1:end])
	if !ok {
		v, ok = integer(string(in[1:end]))
	}
	if !ok || v > int64(most) {
		return 0, nil, errors.New("ERR Protocol error: invalid " + length)
	}
	return int(max(v, -1)), in[end+2:], nil
}

func parseInline(in []byte) (args []string, rest []byte, err error) {
	end := bytes.IndexByte(in, '\n')
	switch {
	case end < 0 && len(in) > maxLine:
		return nil, in, errors.New("ERR Protocol error: too big inline request")
	case end < 0:
		return nil, in, nil
	}
	return append([]string{}, strings.Fields(string(in[:end]))...), in[end+1:], nil
}

// encode returns a command as parseCommand reads it.
func encode(words ...string) []byte {
	b := fmt.Appendf(nil, "*%d\r\n", len(words))
	for _, w := range words {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(w), w)
	}
	return b
}

// small reads a number of a few digits, as lengths are; ok is false if it is no
// such number.
func small(digits []byte) (v int64, ok bool) {
	if len(digits) == 0 || len(digits) > 9 || digits[0] == '0' {
		return 0, false
	}
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		v = 10*v + int64(d-'0')
	}
	return v, true
}

// integer reads a number as strictly as Redis does: no plus sign, no space, no
// leading zeros.
func integer(s string) (int64, bool) {
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil && strconv.FormatInt(v, 10) == s
}

// output collects replies, in RESP.
type output struct {
	*server.Peer
	w   *bufio.Writer // the peer's
	buf bytes.Buffer
}

func newOutput() *output {
	o := &output{}
	o.w = bufio.NewWriterSize(&o.buf, 256)
	o.Peer = server.NewPeer(o.w)
	return o
}

// Frequent replies are written without the peer, whose formatting is slower. The writer
// cannot fail: it writes to memory.

func (o *output) number(kind byte, n int) {
	b := append(o.w.AvailableBuffer(), kind)
	_, _ = o.w.Write(append(strconv.AppendInt(b, int64(n), 10), "\r\n"...))
}

// WriteInt writes an integer.
func (o *output) WriteInt(n int) { o.number(':', n) }

// WriteLen begins an array of n elements.
func (o *output) WriteLen(n int) { o.number('*', n) }

// WriteBulk writes a string.
func (o *output) WriteBulk(s string) {
	o.number('$', len(s))
	_, _ = o.w.WriteString(s)
	_, _ = o.w.WriteString("\r\n")
}

// WriteOK writes the usual status.
func (o *output) WriteOK() { _, _ = o.w.WriteString("+OK\r\n") }

// mark returns how much has been written.
func (o *output) mark() int {
	o.Flush()
	return o.buf.Len()
}

// since returns the output since the mark; it is valid until the next write.
func (o *output) since(mark int) []byte {
	o.Flush()
	return o.buf.Bytes()[mark:]
}

// take empties the output.
func (o *output) take() []byte {
	o.Flush()
	out := bytes.Clone(o.buf.Bytes())
	o.buf.Reset()
	return out
}

// writeNoArray writes the null that stands for an array, which RESP3 does not
// distinguish from others.
func (o *output) writeNoArray() {
	if o.Resp3 {
		o.WriteNull()
	} else {
		o.WriteLen(-1)
	}
}
