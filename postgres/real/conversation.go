package real

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/real/confirm"
)

// Codes in place of a version in a client's first messages.
const (
	sslRequest    = 80877103
	gssRequest    = 80877104
	cancelRequest = 80877102
	header        = 5 // of a message: its letter and its length, which counts itself
	longest       = 16 << 20
)

// conversation is a connection. It begins with the log-in, which serves the connection; then a request has one answer, of
// several messages.
type conversation struct {
	client, server confirm.Stream
	session        string
	started        bool // the client has sent its start-up message
	ready          bool // the log-in is over
	refusals       int  // answers of one byte that are to come, to requests for encryption
	asked          int
	open           []int             // requests that have not been answered
	statements     map[string]string // texts of prepared statements
	portals        map[string]string
	request        []byte   // the part of a request that has been sent
	texts          []string // of its statements
	answer         []byte   // the part of an answer that has arrived
	failed         bool     // an error is in it
}

// Converse begins to read a connection.
func (*postgres) Converse() confirm.Conversation {
	return &conversation{statements: map[string]string{}, portals: map[string]string{}}
}

// Session is the name of the connection's session in records.
func (c *conversation) Session() string { return c.session }

// sized returns the length of a message whose length is at an index.
func sized(b []byte, at int) (int, error) {
	if len(b) < at+4 {
		return 0, nil
	}
	n := binary.BigEndian.Uint32(b[at:])
	if n < 4 || n > longest {
		return 0, fmt.Errorf("a message of %d bytes", n)
	}
	return at + int(n), nil
}

// clientSize is the length of a client's first message. Those before the log-in have no letter.
func (c *conversation) clientSize(b []byte) (int, error) {
	if c.started {
		return sized(b, 1)
	}
	n, err := sized(b, 0)
	if n == 0 || err != nil || n > len(b) {
		return n, err
	}
	if n < 8 {
		return 0, errors.New("a start-up message without a version")
	}
	switch binary.BigEndian.Uint32(b[4:]) {
	case sslRequest, gssRequest:
		c.refusals++
	case cancelRequest:
	default:
		c.started = true
	}
	return n, nil
}

// Client reads requests.
func (c *conversation) Client(sent []byte) (list []confirm.Message, err error) {
	logIn := !c.ready
	messages, err := c.client.Cut(sent, c.clientSize)
	for _, m := range messages {
		if logIn {
			list = append(list, confirm.Message{Bytes: m})
			continue
		}
		c.request = append(c.request, m...)
		whole, err := c.part(m[0], m[header:])
		if err != nil {
			return list, err
		}
		if !whole {
			continue
		}
		out := confirm.Message{Bytes: c.request, Signature: strings.Join(c.texts, "; ")}
		if m[0] != 'X' {
			c.asked++
			out.Number = c.asked
			c.open = append(c.open, c.asked)
		}
		list = append(list, out)
		c.request, c.texts = nil, nil
	}
	return list, err
}

// part reads a message of a request, and reports whether the request ends with it.
func (c *conversation) part(letter byte, body []byte) (whole bool, err error) {
	switch letter {
	case 'Q':
		c.execute(first(body))
		return true, nil
	case 'P':
		name, rest := cut(body)
		c.statements[name] = first(rest)
	case 'B':
		portal, rest := cut(body)
		c.portals[portal] = c.statements[first(rest)]
	case 'E':
		c.execute(c.portals[first(body)])
	case 'S', 'X':
		return true, nil
	case 'H':
		return false, errors.New("a Flush: what it asks for has no end")
	}
	return false, nil
}

// execute notes that a request executes a statement.
func (c *conversation) execute(text string) {
	if s := signature(text); s != "" {
		c.texts = append(c.texts, s)
	}
}

// cut returns a string that ends with a zero, and what follows it.
func cut(body []byte) (string, []byte) {
	text, rest, _ := bytes.Cut(body, []byte{0})
	return string(text), rest
}

func first(body []byte) string {
	text, _ := cut(body)
	return text
}

// serverSize is the length of a server's first message.
func (c *conversation) serverSize(b []byte) (int, error) {
	if c.refusals > 0 && len(b) > 0 {
		c.refusals--
		return 1, nil
	}
	return sized(b, 1)
}

// Server reads the log-in, and answers.
func (c *conversation) Server(sent []byte) (list []confirm.Message, err error) {
	messages, err := c.server.Cut(sent, c.serverSize)
	for _, m := range messages {
		if len(m) < header {
			list = append(list, confirm.Message{Bytes: m}) // no encryption
			continue
		}
		if len(c.open) == 0 {
			list = append(list, c.unasked(m))
			continue
		}
		c.answer = append(c.answer, m...)
		fatal := m[0] == 'E' && severity(m[header:]) != "ERROR"
		c.failed = c.failed || m[0] == 'E'
		if m[0] == 'Z' || fatal {
			list = append(list, confirm.Message{Bytes: c.answer, Number: c.open[0], Failed: c.failed})
			c.open, c.answer, c.failed = c.open[1:], nil, false
		}
	}
	return list, err
}

// unasked reads a message of the log-in, or one that comes unasked.
func (c *conversation) unasked(m []byte) confirm.Message {
	out := confirm.Message{Bytes: m}
	switch body := m[header:]; m[0] {
	case 'K':
		if c.session == "" && len(body) >= 4 {
			c.session = sessionName(strconv.FormatUint(uint64(binary.BigEndian.Uint32(body)), 10))
		}
	case 'Z':
		c.ready = true
	case 'A':
		if len(body) > 4 {
			out.Signature = "notification " + first(body[4:])
		}
	}
	return out
}

// severity is the severity of an error.
func severity(body []byte) string {
	for len(body) > 1 && body[0] != 0 {
		value, rest := cut(body[1:])
		if body[0] == 'V' {
			return value
		}
		body = rest
	}
	return "ERROR"
}

// sessionName returns the name of the session whose process has a number.
func sessionName(pid string) string { return "connection " + pid }
