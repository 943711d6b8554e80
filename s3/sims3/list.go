package sims3

import (
	"encoding/xml"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// listing is the answer to ListObjectsV2.
type listing struct {
	XMLName               xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListBucketResult"`
	Name                  string
	Prefix                string
	StartAfter            string `xml:",omitempty"`
	ContinuationToken     string `xml:",omitempty"`
	NextContinuationToken string `xml:",omitempty"`
	KeyCount, MaxKeys     int
	EncodingType          string `xml:",omitempty"`
	IsTruncated           bool
	Contents              []listed
}

type listed struct {
	Key, LastModified, ETag string
	Size                    int
	StorageClass            string
}

// most is how many objects a page lists at most.
const most = 1000

// list executes ListObjectsV2. A continuation token is the last key of the page before.
func (s *Server) list(r *request) (a answer, why string) {
	l := listing{
		Name: s.bucket, Prefix: r.query.Get("prefix"), StartAfter: r.query.Get("start-after"), MaxKeys: most,
		ContinuationToken: r.query.Get("continuation-token"), EncodingType: r.query.Get("encoding-type"),
	}
	encode := func(key string) string { return key }
	switch l.EncodingType {
	case "":
	case "url":
		encode = func(key string) string { return strings.ReplaceAll(url.QueryEscape(key), "%2F", "/") }
	default:
		return badArgument.with("ArgumentName", "encoding-type").answer(), ""
	}
	if text := r.query.Get("max-keys"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return badArgument.with("ArgumentName", "max-keys").answer(), ""
		}
		l.MaxKeys = min(n, most)
	}
	after := max(l.StartAfter, l.ContinuationToken)
	last := ""
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		if !strings.HasPrefix(key, l.Prefix) || key <= after {
			continue
		}
		if l.KeyCount == l.MaxKeys {
			l.IsTruncated, l.NextContinuationToken = l.MaxKeys > 0, last
			break
		}
		o := s.objects[key]
		last = key
		l.KeyCount++
		l.Contents = append(l.Contents, listed{encode(key), o.modified.UTC().Format("2006-01-02T15:04:05.000Z"), o.etag, len(o.content), "STANDARD"})
	}
	l.Prefix, l.StartAfter = encode(l.Prefix), encode(l.StartAfter)
	body, err := xml.Marshal(l)
	if err != nil {
		return internalError.answer(), "keys that XML cannot hold"
	}
	return answer{status: http.StatusOK, header: http.Header{"Content-Type": {"application/xml"}}, body: append([]byte(xml.Header), body...)}, ""
}
