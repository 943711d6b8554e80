package sims3

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"strconv"

	"github.com/lockpick-dev/lockpick/sim/payload"
	"github.com/lockpick-dev/lockpick/sim/simhttp"
)

func init() {
	payload.Register("s3", simhttp.Words{Request: requestWords, Answer: answerWords}.Open)
}

// requestWords describes a request: PUT lock value if it does not exist.
func requestWords(r *http.Request, body []byte) string {
	q, _ := read(r, body)
	if q == nil {
		return ""
	}
	text := r.Method + " " + q.key
	switch q.operation {
	case listObjectsV2:
		return "list " + strconv.Quote(q.query.Get("prefix"))
	case headBucket:
		return "HEAD of the bucket"
	case putObject:
		if content, _, e := content(r.Header, body); e == nil {
			text += " " + shown(content)
		}
	}
	switch match, none := r.Header.Get("If-Match"), r.Header.Get("If-None-Match"); {
	case none == "*":
		text += " if it does not exist"
	case none != "":
		text += " if it is not " + short(none)
	case match != "":
		text += " if it is " + short(match)
	}
	return text
}

// short returns an ETag without its quotes, shortened.
func short(etag string) string {
	etag = string(bytes.Trim([]byte(etag), `"`))
	return etag[:min(len(etag), 6)]
}

// answerWords describes an answer: its code, the ETag of an object that was written, or the content of one that was
// read.
func answerWords(r *http.Request, a *http.Response, body []byte) string {
	if a.StatusCode >= 300 {
		var e struct{ Code string }
		if xml.Unmarshal(body, &e) == nil && e.Code != "" {
			return strconv.Itoa(a.StatusCode) + " " + e.Code
		}
		return ""
	}
	if r == nil || a.Header.Get("Etag") == "" {
		return ""
	}
	if r.Method == http.MethodGet {
		return short(a.Header.Get("Etag")) + ": " + shown(body)
	}
	return "OK, it is " + short(a.Header.Get("Etag"))
}
