package simpgbouncer

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// message is one message of the protocol, whole.
type message struct {
	kind byte   // 0 for those of the start-up, which have none
	body []byte // without its length
	raw  []byte
}

// The codes of the messages without a kind.
const (
	codeCancel  = 80877102
	codeSSL     = 80877103
	codeGSSENC  = 80877104
	codeVersion = 3 << 16 // and a minor version of 0 or 1
	codeOld     = 2 << 16

	longest = 1 << 30
)

// cut returns the first message of what has arrived, or false if it is not whole. Bad is set if there is no such message.
func cut(in []byte) (m message, whole, bad bool) {
	if len(in) < 5 {
		return m, false, false
	}
	if m.kind = in[0]; m.kind == 0 {
		n := int(binary.BigEndian.Uint32(in))
		switch {
		case n < 8 || n > 1<<16:
			return m, false, true
		case len(in) < n:
			return m, false, false
		}
		m.body, m.raw = in[4:n:n], in[:n:n]
		return m, true, false
	}
	n := int(binary.BigEndian.Uint32(in[1:])) + 1
	switch {
	case n < 5 || n > longest:
		return m, false, true
	case len(in) < n:
		return m, false, false
	}
	m.body, m.raw = in[5:n:n], in[:n:n]
	return m, true, false
}

// code returns the code of a message without a kind.
func (m message) code() int { return int(binary.BigEndian.Uint32(m.body)) }

// text cuts off a text that ends with a zero byte.
func text(b []byte) (s string, rest []byte, ok bool) {
	s0, rest, ok := bytes.Cut(b, []byte{0})
	return string(s0), rest, ok
}

// pair returns the two texts of a ParameterStatus.
func (m message) pair() (key, value string, ok bool) {
	key, rest, ok := text(m.body)
	if !ok {
		return "", "", false
	}
	value, _, ok = text(rest)
	return key, value, ok
}

// errorText returns the text of an ErrorResponse.
func (m message) errorText() string {
	var e pgproto3.ErrorResponse
	if e.Decode(m.body) != nil {
		return ""
	}
	return e.Message
}

// encode returns messages as bytes.
func encode(messages ...pgproto3.Message) (out []byte) {
	for _, m := range messages {
		out, _ = m.Encode(out) // fails for messages of gigabytes
	}
	return out
}

// poolerError is an error of the pooler itself.
func poolerError(reason string) []byte {
	return encode(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "08P01", Message: reason})
}

// startup is the first message to a server. Its order is fixed, which that of pgproto3's is not.
func startup(user, database string) []byte {
	b := binary.BigEndian.AppendUint32(make([]byte, 4), codeVersion)
	for _, s := range []string{"user", user, "database", database, ""} {
		b = append(append(b, s...), 0)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)))
	return b
}

// quote returns a text as an SQL literal.
func quote(s string) string {
	prefix := ""
	if strings.Contains(s, `\`) {
		prefix, s = "E", strings.ReplaceAll(s, `\`, `\\`)
	}
	return prefix + "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
