package simhttp

import (
	"bufio"
	"bytes"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

// Words describe the messages of a store that speaks HTTP, for reports. Without functions, and where
// one returns "", a request is its method and target, and an answer its status.
type Words struct {
	Request func(r *http.Request, body []byte) string
	// Answer describes an answer, or a piece of one that streams; then body is that piece, empty for
	// the beginning. The request is nil if it is not known. Of a long body only a part may be there.
	Answer func(r *http.Request, a *http.Response, body []byte) string
}

// Open opens the reader of a connection, for [payload.Register].
func (w Words) Open() payload.Reader { return (&conversation{words: w}).read }

// maxShown is how much of a message that has not come whole is kept.
const maxShown = 64 << 10

// conversation is what a reader knows of a connection.
type conversation struct {
	words    Words
	client   string // the name of the end that has spoken first
	up, down []byte // what is not described yet
	asked    []*http.Request
	answer   *http.Response // the one whose body is coming, or nil
	rest     int64          // of its body; -1 if it is chunked
}

// read describes a segment.
func (c *conversation) read(e *sim.Event) payload.Message {
	if c.client == "" && !bytes.HasPrefix(e.Payload, []byte("HTTP/1.")) {
		c.client = e.Peer
	}
	in, next := &c.down, c.nextAnswer
	if e.Peer == c.client {
		in, next = &c.up, c.nextRequest
	}
	*in = append(*in, e.Payload...)
	var parts []string
	for len(*in) > 0 {
		text, more := next()
		if text != "" {
			parts = append(parts, text)
		}
		if !more {
			break
		}
	}
	if len(*in) > maxShown {
		*in = nil
	}
	if len(parts) == 0 {
		parts = append(parts, "(a part)")
	}
	text := strings.Join(parts, "; ")
	return payload.Message{Text: wording.Fit(wording.Printable(text), payload.Most), Aside: text == "100 Continue"}
}

// nextRequest describes a request, and reports whether more may follow.
func (c *conversation) nextRequest() (text string, more bool) {
	r, body, n, err := readRequest(c.up)
	switch {
	case err != nil:
		text = payload.Plain(c.up)
		c.up = nil
		return text, false
	case n == 0:
		return "", false
	}
	c.up = c.up[n:]
	c.asked = append(c.asked, r)
	if c.words.Request != nil {
		text = c.words.Request(r, body)
	}
	if text == "" {
		text = r.Method + " " + r.URL.RequestURI()
	}
	return text, true
}

// nextAnswer describes an answer, or a piece of one.
func (c *conversation) nextAnswer() (text string, more bool) {
	if c.answer != nil {
		return c.nextPiece()
	}
	var r *http.Request
	if len(c.asked) > 0 {
		r = c.asked[0]
	}
	head := bytes.Index(c.down, []byte("\r\n\r\n")) + 4
	if head < 4 {
		return "", false
	}
	a, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(c.down[:head])), r)
	if err != nil {
		text = payload.Plain(c.down)
		c.down = nil
		return text, false
	}
	c.down = c.down[head:]
	if a.StatusCode == http.StatusContinue {
		return a.Status, true
	}
	switch c.answer, c.rest = a, a.ContentLength; {
	case a.Body == http.NoBody:
		c.rest = 0
	case c.rest < 0 && len(a.TransferEncoding) == 0:
		c.rest = math.MaxInt64 // it ends with the connection
	}
	var body []byte
	if c.rest >= 0 {
		body = c.take()
	}
	return c.answerText(a, body), true
}

// take removes what is there of a body whose length is known.
func (c *conversation) take() []byte {
	body := c.down[:min(int64(len(c.down)), c.rest)]
	c.down = c.down[len(body):]
	if c.rest -= int64(len(body)); c.rest == 0 {
		c.end()
	}
	return body
}

// end ends the answer that is coming.
func (c *conversation) end() {
	c.answer = nil
	if len(c.asked) > 0 {
		c.asked = c.asked[1:]
	}
}

// nextPiece describes a piece of an answer's body.
func (c *conversation) nextPiece() (text string, more bool) {
	if c.rest >= 0 {
		c.take()
		return "", true
	}
	line, rest, found := bytes.Cut(c.down, []byte("\r\n"))
	digits, _, _ := strings.Cut(string(line), ";")
	size, err := strconv.ParseInt(strings.TrimSpace(digits), 16, 32)
	switch {
	case !found:
		return "", false
	case err != nil || size < 0:
		text = payload.Plain(c.down)
		c.down = nil
		return text, false
	case int64(len(rest)) < size+2:
		return "", false
	}
	c.down = rest[size+2:]
	a := c.answer
	if size == 0 {
		c.end()
		return "(the end)", true
	}
	return c.answerText(a, rest[:size]), true
}

// answerText describes an answer, or a piece of one.
func (c *conversation) answerText(a *http.Response, body []byte) (text string) {
	if c.words.Answer != nil {
		text = c.words.Answer(a.Request, a, body)
	}
	switch {
	case text != "":
		return text
	case c.rest < 0 && len(body) > 0:
		return payload.Plain(body)
	}
	return a.Status
}
