package sims3

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"slices"
)

// failed is an error in S3's words.
type failed struct {
	status        int
	code, message string
	fields        [][2]string
}

// The errors, with the messages of S3.
var (
	accessDenied   = failed{status: http.StatusForbidden, code: "AccessDenied", message: "Access Denied"}
	noDate         = failed{status: http.StatusForbidden, code: "AccessDenied", message: "AWS authentication requires a valid Date or x-amz-date header"}
	tooSkewed      = failed{status: http.StatusForbidden, code: "RequestTimeTooSkewed", message: "The difference between the request time and the current time is too large."}
	noSuchBucket   = failed{status: http.StatusNotFound, code: "NoSuchBucket", message: "The specified bucket does not exist"}
	noSuchKey      = failed{status: http.StatusNotFound, code: "NoSuchKey", message: "The specified key does not exist."}
	precondition   = failed{status: http.StatusPreconditionFailed, code: "PreconditionFailed", message: "At least one of the pre-conditions you specified did not hold"}
	conflict       = failed{status: http.StatusConflict, code: "ConditionalRequestConflict", message: "The conditional request cannot succeed due to a conflicting operation against this resource."}
	slowDown       = failed{status: http.StatusServiceUnavailable, code: "SlowDown", message: "Please reduce your request rate."}
	internalError  = failed{status: http.StatusInternalServerError, code: "InternalError", message: "We encountered an internal error. Please try again."}
	notImplemented = failed{status: http.StatusNotImplemented, code: "NotImplemented", message: "A header you provided implies functionality that is not implemented"}
	badDigest      = failed{status: http.StatusBadRequest, code: "BadDigest", message: "The checksum that you specified did not match the calculated checksum."}
	shaMismatch    = failed{status: http.StatusBadRequest, code: "XAmzContentSHA256Mismatch", message: "The provided 'x-amz-content-sha256' header does not match what was computed."}
	incompleteBody = failed{status: http.StatusBadRequest, code: "IncompleteBody", message: "The request body terminated unexpectedly"}
	noLength       = failed{status: http.StatusLengthRequired, code: "MissingContentLength", message: "You must provide the Content-Length HTTP header."}
	badArgument    = failed{status: http.StatusBadRequest, code: "InvalidArgument", message: "Invalid Argument"}
	keyTooLong     = failed{status: http.StatusBadRequest, code: "KeyTooLongError", message: "Your key is too long"}
)

// with returns the error with one more field.
func (f failed) with(name, value string) *failed {
	f.fields = append(slices.Clone(f.fields), [2]string{name, value})
	return &f
}

// requestID is replaced by the request's ID in a body.
const requestID = "{request-id}"

// answer returns the error as an answer.
func (f failed) answer() answer {
	var b bytes.Buffer
	b.WriteString(xml.Header + "<Error>")
	for _, field := range append([][2]string{{"Code", f.code}, {"Message", f.message}}, append(slices.Clone(f.fields), [2]string{"RequestId", requestID})...) {
		b.WriteString("<" + field[0] + ">")
		_ = xml.EscapeText(&b, []byte(field[1])) // a buffer takes all
		b.WriteString("</" + field[0] + ">")
	}
	b.WriteString("</Error>")
	return answer{status: f.status, header: http.Header{"Content-Type": {"application/xml"}}, body: b.Bytes()}
}
