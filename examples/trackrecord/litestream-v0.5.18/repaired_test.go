package litestream_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	litestreams3 "github.com/benbjohnson/litestream/s3"
)

// recognizing is a client that knows an object of its own. A PUT that is refused since its condition does not hold may
// have been executed by an earlier try, whose answer was lost: then the object has what was to be written, which names
// the owner and its end.
type recognizing struct{ litestreams3.S3API }

func (r recognizing) PutObject(ctx context.Context, in *awss3.PutObjectInput, set ...func(*awss3.Options)) (*awss3.PutObjectOutput, error) {
	content, err := io.ReadAll(in.Body)
	if err != nil {
		return nil, err
	}
	in.Body = bytes.NewReader(content)
	out, err := r.S3API.PutObject(ctx, in, set...)
	var answer interface{ HTTPStatusCode() int }
	if !errors.As(err, &answer) || answer.HTTPStatusCode() != http.StatusPreconditionFailed {
		return out, err
	}
	found, failed := r.GetObject(ctx, &awss3.GetObjectInput{Bucket: in.Bucket, Key: in.Key})
	if failed != nil {
		return nil, err
	}
	defer func() { _ = found.Body.Close() }()
	if present, failed := io.ReadAll(found.Body); failed != nil || !bytes.Equal(present, content) {
		return nil, err
	}
	return &awss3.PutObjectOutput{ETag: found.ETag}, nil
}
