package sims3

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/server"
	"github.com/lockpick-dev/lockpick/sim/simhttp"
)

// The operations, by their names in S3's documentation.
const (
	putObject     = "PutObject"
	getObject     = "GetObject"
	headObject    = "HeadObject"
	deleteObject  = "DeleteObject"
	headBucket    = "HeadBucket"
	listObjectsV2 = "ListObjectsV2"
)

// request is a request that the server supports.
type request struct {
	*http.Request
	operation   string
	bucket, key string
	query       url.Values
	body        []byte
	by          model.Origin
}

// answer is an answer to a request.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// handle answers a request.
func (s *Server) handle(x *simhttp.Exchange, conn int) {
	s.requests++
	failure := s.failing[conn]
	delete(s.failing, conn)
	r, why := read(x.Request, x.Body)
	if why != "" {
		x.Refuse("the simulated S3 does not support " + why)
		s.answer(x, notImplemented.answer())
		return
	}
	r.by = x.By()
	s.world.Served(x.Task, r.operation)
	if s.meter != nil {
		s.Serve(s.meter(r.operation))
	}
	a, why := s.execute(r, failure)
	if why != "" {
		x.Refuse("the simulated S3 does not support " + why)
	}
	if failure != 0 {
		done := failure == InternalErrorDone && a.status < http.StatusMultipleChoices
		s.Observe(model.Observation{Kind: model.Noted, Owner: r.by, Note: server.Failed(failure.String(), done)})
	}
	if failure == InternalErrorDone {
		a = internalError.answer()
	}
	s.answer(x, a)
}

// answer sends an answer, with what all have.
func (s *Server) answer(x *simhttp.Exchange, a answer) {
	h := a.header
	if h == nil {
		h = http.Header{}
	}
	h.Set("Date", s.now().UTC().Format(http.TimeFormat))
	h.Set("Server", "AmazonS3")
	id := fmt.Sprintf("%016X", s.requests)
	h.Set("X-Amz-Request-Id", id)
	x.Respond(a.status, h, []byte(strings.Replace(string(a.body), requestID, id, 1)))
}

// execute executes a request, unless it fails, and returns its answer, and what of it is not supported.
func (s *Server) execute(r *request, f Failure) (a answer, why string) {
	if f == SlowDown {
		return slowDown.answer(), ""
	}
	if e := s.authenticate(r); e != nil {
		return e.answer(), ""
	}
	if r.bucket != s.bucket {
		return noSuchBucket.with("BucketName", r.bucket).answer(), ""
	}
	switch f {
	case InternalError:
		return internalError.answer(), ""
	case Conflict:
		return conflict.with("Condition", "If-None-Match").with("Key", r.key).answer(), ""
	}
	switch r.operation {
	case putObject:
		a, why = s.put(r)
	case deleteObject:
		a = s.remove(r)
	case getObject, headObject:
		a = s.get(r)
	case listObjectsV2:
		a, why = s.list(r)
	default: // headBucket
		a = answer{status: http.StatusOK}
	}
	return a, why
}

// skew is how much the date of a request may differ from the service's clock.
const skew = 15 * time.Minute

// authenticate refuses a request without a signature, or with a date that is too far from the service's. It does not
// verify the signature.
func (s *Server) authenticate(r *request) *failed {
	if r.Header.Get("Authorization") == "" {
		return &accessDenied
	}
	date, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil {
		if date, err = http.ParseTime(r.Header.Get("Date")); err != nil {
			return &noDate
		}
	}
	if now := s.now(); now.Sub(date).Abs() > skew {
		const format = "2006-01-02T15:04:05Z"
		return tooSkewed.with("RequestTime", date.UTC().Format("20060102T150405Z")).
			with("ServerTime", now.UTC().Format(format)).with("MaxAllowedSkewMilliseconds", fmt.Sprint(skew.Milliseconds()))
	}
	return nil
}

// read reads a request, or returns what of it the server does not support.
func read(r *http.Request, body []byte) (q *request, why string) {
	path, found := strings.CutPrefix(r.URL.Path, "/")
	bucket, key, _ := strings.Cut(path, "/")
	q = &request{Request: r, bucket: bucket, key: key, query: r.URL.Query(), body: body}
	switch {
	case !found || bucket == "":
		return nil, r.Method + " " + r.URL.RequestURI() + ", which names no bucket in its path"
	case key != "":
		q.operation = map[string]string{
			http.MethodPut: putObject, http.MethodGet: getObject, http.MethodHead: headObject, http.MethodDelete: deleteObject,
		}[r.Method]
	case r.Method == http.MethodGet && q.query.Get("list-type") == "2":
		q.operation = listObjectsV2
	case r.Method == http.MethodHead:
		q.operation = headBucket
	}
	if q.operation == "" {
		return nil, r.Method + " " + r.URL.RequestURI()
	}
	for _, name := range slices.Sorted(maps.Keys(q.query)) {
		if !slices.Contains(parameters[q.operation], name) && name != "x-id" {
			return nil, "the parameter " + name + " of " + q.operation
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if !supports(q.operation, name) {
			return nil, "the header " + name + " of " + q.operation
		}
	}
	return q, ""
}

// parameters are the parameters of each operation.
var parameters = map[string][]string{
	listObjectsV2: {"list-type", "prefix", "start-after", "max-keys", "continuation-token", "encoding-type"},
}

// supports reports whether the server supports a header of an operation. Those that are not S3's own and no
// condition mean nothing to it.
func supports(operation, name string) bool {
	switch name {
	case "If-Match":
		return operation == putObject || operation == deleteObject || operation == getObject || operation == headObject
	case "If-None-Match":
		return operation == putObject || operation == getObject || operation == headObject
	case "X-Amz-Date", "X-Amz-Content-Sha256", "X-Amz-Security-Token", "X-Amz-Checksum-Mode", "X-Amz-User-Agent":
		return true
	case "X-Amz-Decoded-Content-Length", "X-Amz-Trailer", "X-Amz-Sdk-Checksum-Algorithm", "Content-Md5":
		return operation == putObject
	case "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range":
		return false
	}
	if !strings.HasPrefix(name, "X-Amz-") {
		return true
	}
	return operation == putObject && (strings.HasPrefix(name, metadata) || checksums[strings.TrimPrefix(name, checksum)] != nil)
}
