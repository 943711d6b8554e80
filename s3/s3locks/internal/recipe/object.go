package recipe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
)

// Client is what a lock needs of a client of S3.
type Client interface {
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	DeleteObject(context.Context, *s3.DeleteObjectInput, ...func(*s3.Options)) (*s3.DeleteObjectOutput, error)
}

// The errors that say what there is in S3. After any other it is unknown whether a change was made.
var (
	// ErrAbsent is the error of a request for an object that does not exist.
	ErrAbsent = errors.New("the object does not exist")
	// ErrCondition is the error of a request whose condition does not hold. An earlier try of the same request, which
	// the library has repeated, may be the reason.
	ErrCondition = errors.New("the condition does not hold")
)

// Object is an object of S3.
type Object struct {
	Client      Client
	Bucket, Key string
	Options     *Options
}

// Version is the content of an object, with its ETag.
type Version struct{ Content, ETag string }

// Stamp is a time of S3's: it was Date, in whole seconds, after the request was sent at Sent by the client's clock. It
// is zero if it is not known.
type Stamp struct{ Date, Sent time.Time }

// Latest returns the latest time that it may be now by S3's clock, if both clocks run alike.
func (s Stamp) Latest(now time.Time) time.Time {
	return s.Date.Add(time.Second + max(0, now.Sub(s.Sent)))
}

// Until returns until when, by the client's clock, a time of S3's is certainly not reached.
func (s Stamp) Until(end time.Time) time.Time { return s.Sent.Add(end.Sub(s.Date) - time.Second) }

// Create makes the object, if it does not exist.
func (o *Object) Create(ctx context.Context, content string) (etag string, at Stamp, err error) {
	return o.put(ctx, &s3.PutObjectInput{IfNoneMatch: aws.String("*")}, content)
}

// Replace replaces a version of the object.
func (o *Object) Replace(ctx context.Context, etag, content string) (newETag string, at Stamp, err error) {
	return o.put(ctx, &s3.PutObjectInput{IfMatch: &etag}, content)
}

func (o *Object) put(ctx context.Context, in *s3.PutObjectInput, content string) (etag string, at Stamp, err error) {
	in.Bucket, in.Key, in.Body = &o.Bucket, &o.Key, strings.NewReader(content)
	at.Sent = o.Options.Clock.Now()
	err = o.Options.within(ctx, func(ctx context.Context) error {
		out, err := o.Client.PutObject(ctx, in)
		if err != nil {
			return meaning(err)
		}
		etag, at.Date = aws.ToString(out.ETag), date(out.ResultMetadata)
		return nil
	})
	return etag, at, err
}

// Read returns the present version of the object. A Stamp is there if the error is nil or ErrAbsent.
func (o *Object) Read(ctx context.Context) (v Version, at Stamp, err error) {
	at.Sent = o.Options.Clock.Now()
	err = o.Options.within(ctx, func(ctx context.Context) error {
		out, err := o.Client.GetObject(ctx, &s3.GetObjectInput{Bucket: &o.Bucket, Key: &o.Key})
		if err != nil {
			var answer *awshttp.ResponseError
			if errors.As(err, &answer) && answer.Response != nil {
				at.Date, _ = http.ParseTime(answer.Response.Header.Get("Date")) // zero if there is none
			}
			return meaning(err)
		}
		defer func() { _ = out.Body.Close() }() // it was read
		content, err := io.ReadAll(out.Body)
		v, at.Date = Version{string(content), aws.ToString(out.ETag)}, date(out.ResultMetadata)
		return err
	})
	return v, at, err
}

// Remove removes a version of the object.
func (o *Object) Remove(ctx context.Context, etag string) error {
	return o.Options.within(ctx, func(ctx context.Context) error {
		_, err := o.Client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &o.Bucket, Key: &o.Key, IfMatch: &etag})
		return meaning(err)
	})
}

// date returns the date of an answer, zero if it has none.
func date(m middleware.Metadata) time.Time {
	d, _ := awsmiddleware.GetServerTime(m) // zero if there is none
	return d
}

// meaning returns an error of this package for one of the library.
func meaning(err error) error {
	var answer interface{ HTTPStatusCode() int }
	if !errors.As(err, &answer) {
		return err
	}
	switch answer.HTTPStatusCode() {
	case http.StatusNotFound:
		return fmt.Errorf("%w: %w", ErrAbsent, err)
	case http.StatusPreconditionFailed:
		return fmt.Errorf("%w: %w", ErrCondition, err)
	}
	return err
}
