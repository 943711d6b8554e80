package simhttp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

const (
	maxHead = 1 << 20
	maxBody = 8 << 20
)

// refusal is a request that is answered with an error, after which the connection ends.
type refusal struct {
	status int
	why    string
}

func (e *refusal) Error() string {
	text := fmt.Sprintf("%d %s", e.status, http.StatusText(e.status))
	if e.why != "" {
		text += ": " + e.why
	}
	return text
}

// readRequest reads the first request of what has come, and returns its length. If it has not come
// whole, that is 0, and r is nil or has the request's header.
func readRequest(in []byte) (r *http.Request, body []byte, n int, err error) {
	left := bytes.NewReader(in[:readable(in)])
	b := bufio.NewReader(left)
	r, err = http.ReadRequest(b)
	switch {
	case isPart(err) && len(in) > maxHead:
		return nil, nil, 0, &refusal{status: http.StatusRequestHeaderFieldsTooLarge}
	case isPart(err):
		return nil, nil, 0, nil
	case err != nil:
		return nil, nil, 0, &refusal{status: http.StatusBadRequest}
	}
	came := left.Len() + b.Buffered() // after the header
	switch expect := r.Header.Get("Expect"); {
	case r.ProtoMajor != 1:
		return r, nil, 0, &refusal{http.StatusHTTPVersionNotSupported, "unsupported protocol version"}
	case r.Host == "" && r.ProtoAtLeast(1, 1):
		return r, nil, 0, &refusal{http.StatusBadRequest, "missing required Host header"}
	case expect != "" && !strings.EqualFold(expect, "100-continue"):
		return r, nil, 0, &refusal{status: http.StatusExpectationFailed}
	case r.ContentLength > maxBody:
		return r, nil, 0, &refusal{status: http.StatusRequestEntityTooLarge}
	case r.ContentLength > int64(came):
		return r, nil, 0, nil
	}
	body, err = io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case len(body) > maxBody, err != nil && len(in) > maxHead+2*maxBody: // with all that surrounds chunks
		return r, nil, 0, &refusal{status: http.StatusRequestEntityTooLarge}
	case isPart(err), err != nil && strings.Contains(err.Error(), "trailer"): // errors of its own
		return r, nil, 0, nil
	case err != nil:
		return r, nil, 0, &refusal{status: http.StatusBadRequest}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return r, body, len(in) - left.Len() - b.Buffered(), nil
}

// readable returns how much of what has come package net/http can read, which takes a part of a line
// for a line: all, or only whole lines as long as the header has not come whole.
func readable(in []byte) int {
	if bytes.Contains(in, []byte("\n\r\n")) || bytes.Contains(in, []byte("\n\n")) {
		return len(in)
	}
	return bytes.LastIndexByte(in, '\n') + 1
}

// isPart reports whether an error means that what was read is only a part.
func isPart(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// Arriving returns the request whose header a segment has, or nil. Its body may be missing.
func Arriving(segment []byte) *http.Request {
	if !bytes.Contains(segment, []byte("\r\n\r\n")) {
		return nil
	}
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(segment)))
	if err != nil {
		return nil
	}
	return r
}
