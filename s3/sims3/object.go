package sims3

import (
	"crypto/md5"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/model"
)

// object is an object of the bucket.
type object struct {
	content  []byte
	header   http.Header // what its PUT has said of it
	etag     string      // quoted
	modified time.Time   // by the service's clock
	number   int64       // of its creation
	owner    model.Origin
}

const (
	metadata = "X-Amz-Meta-"
	checksum = "X-Amz-Checksum-"
	// longest is the longest key, in bytes.
	longest = 1024
)

// put executes PutObject.
func (s *Server) put(r *request) (a answer, why string) {
	content, trailer, e := content(r.Header, r.body)
	if e != nil {
		return e.answer(), ""
	}
	sum, e := verify(r.Header, trailer, content)
	switch {
	case e != nil:
		return e.answer(), ""
	case len(r.key) > longest:
		return keyTooLong.answer(), ""
	}
	old := s.objects[r.key]
	if e, why = allowsPut(r, old); e != nil {
		return e.answer(), why
	}
	hash := md5.Sum(content)
	o := &object{
		content: content, header: kept(r.Header), etag: strconv.Quote(hex.EncodeToString(hash[:])),
		modified: s.now(), owner: r.by,
	}
	o.header[sum.header] = []string{sum.value}
	seen := model.Observation{Kind: model.RecordCreated, Key: r.key, Value: shown(content), Owner: r.by, By: r.by}
	if old != nil {
		o.number, seen.Kind, seen.OldOwner = old.number, model.RecordChanged, old.owner
	} else {
		s.created++
		o.number = s.created
	}
	seen.Revision = o.number
	s.objects[r.key] = o
	s.Observe(seen)
	return answer{status: http.StatusOK, header: http.Header{
		"Etag": {o.etag}, sum.header: {sum.value}, "X-Amz-Checksum-Type": {"FULL_OBJECT"}, "X-Amz-Server-Side-Encryption": {"AES256"},
	}}, ""
}

// kept returns the headers of a PUT that belong to the object.
func kept(h http.Header) http.Header {
	o := http.Header{"Content-Type": {"binary/octet-stream"}}
	for name, values := range h { // unordered: it fills a map
		switch name {
		case "Content-Type", "Cache-Control", "Content-Disposition", "Content-Language", "Expires":
			o[name] = values
		case "Content-Encoding":
			if left := withoutChunked(values); left != "" {
				o[name] = []string{left}
			}
		default:
			if strings.HasPrefix(name, metadata) {
				o[name] = values
			}
		}
	}
	return o
}

// remove executes DeleteObject.
func (s *Server) remove(r *request) answer {
	o := s.objects[r.key]
	if e := allowsDelete(r, o); e != nil {
		return e.answer()
	}
	if o != nil {
		delete(s.objects, r.key)
		s.deleted[r.key] = s.world.Now()
		s.Observe(model.Observation{
			Kind: model.RecordDeleted, Key: r.key, Value: shown(o.content), Owner: o.owner, By: r.by, Revision: o.number,
		})
	}
	return answer{status: http.StatusNoContent}
}

// get executes GetObject and HeadObject.
func (s *Server) get(r *request) answer {
	o := s.objects[r.key]
	if o == nil {
		return noSuchKey.with("Key", r.key).answer()
	}
	h := http.Header{"Etag": {o.etag}, "Last-Modified": {o.modified.UTC().Format(http.TimeFormat)}}
	switch e, same := allowsGet(r, o); {
	case e != nil:
		return e.answer()
	case same:
		return answer{status: http.StatusNotModified, header: h}
	}
	for name, values := range o.header { // unordered: it fills a map
		if !strings.HasPrefix(name, checksum) || r.Header.Get("X-Amz-Checksum-Mode") == "ENABLED" {
			h[name] = values
		}
	}
	if r.Header.Get("X-Amz-Checksum-Mode") == "ENABLED" {
		h.Set("X-Amz-Checksum-Type", "FULL_OBJECT")
	}
	h.Set("Accept-Ranges", "bytes")
	h.Set("X-Amz-Server-Side-Encryption", "AES256")
	return answer{status: http.StatusOK, header: h, body: o.content}
}

// shown returns a content as a record's value: quoted if it is not printable text.
func shown(content []byte) string {
	text := string(content)
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
