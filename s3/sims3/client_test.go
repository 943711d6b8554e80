package sims3_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/s3/sims3"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

// visit makes a run with one client of aws-sdk-go-v2. Faults are made before each request, by its number from 1.
func visit(t *testing.T, before func(s *sims3.Server, c *sim.Conn, n int), client func(ctx context.Context, c *s3.Client)) (sim.Report, []model.Observation) {
	t.Helper()
	var seen []model.Observation
	r := sim.Run(sim.Config{Record: true, Horizon: time.Hour}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: time.Millisecond})
		s := sims3.New(w, sims3.Options{}, func(o model.Observation) { seen = append(seen, o) })
		if before != nil {
			w.Inject(&failing{server: s, before: before})
		}
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
			conn, err := p.DialContext(ctx, network, s.Address(), 0)
			if err == nil {
				conn.(*sim.Conn).Gather(func(b []byte) []byte { return b })
			}
			return conn, err
		}
		c := s3.New(s3.Options{
			Region: "us-east-1", UsePathStyle: true, Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
			RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported, ResponseChecksumValidation: aws.ResponseChecksumValidationWhenSupported,
			HTTPClient: awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.DialContext, t.DialTLSContext = dial, dial }),
		})
		p.Go(func() { client(context.Background(), c) })
	})
	return r, seen
}

// failing makes requests fail.
type failing struct {
	server *sims3.Server
	before func(s *sims3.Server, c *sim.Conn, n int)
	n      int
}

func (f *failing) Before(e sim.Upcoming) bool {
	if f.server.Requests(e) {
		f.n++
		f.before(f.server, e.Conn(), f.n)
	}
	return false
}

// code returns the code of S3's error, "" for none.
func code(err error) string {
	var e smithy.APIError
	if errors.As(err, &e) {
		return e.ErrorCode()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func put(ctx context.Context, c *s3.Client, content string, set func(*s3.PutObjectInput)) (string, error) {
	in := &s3.PutObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k"), Body: strings.NewReader(content)}
	if set != nil {
		set(in)
	}
	out, err := c.PutObject(ctx, in)
	if err != nil {
		return "", err
	}
	return aws.ToString(out.ETag), nil
}

func ifNone(in *s3.PutObjectInput) { in.IfNoneMatch = aws.String("*") }

// TestClient: what the library does with an object, and what is seen of it.
func TestClient(t *testing.T) {
	var text strings.Builder
	r, seen := visit(t, nil, func(ctx context.Context, c *s3.Client) {
		note := func(what string, err error) { text.WriteString(strings.TrimSpace(what+" "+code(err)) + "\n") }
		etag, err := put(ctx, c, "a", func(in *s3.PutObjectInput) { ifNone(in); in.Metadata = map[string]string{"color": "red"} })
		note("make "+etag, err)
		_, err = put(ctx, c, "b", ifNone)
		note("make", err)
		_, err = put(ctx, c, "b", func(in *s3.PutObjectInput) { in.IfMatch = aws.String(`"0"`) })
		note("replace", err)
		out, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k")})
		if err == nil {
			body, _ := io.ReadAll(out.Body)
			note(fmt.Sprintf("get %s %v %s", body, out.Metadata, out.LastModified.Format(time.TimeOnly)), err)
		}
		list, err := c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: aws.String("bucket")})
		note(fmt.Sprintf("list %d", aws.ToInt32(list.KeyCount)), err)
		_, err = c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k"), IfMatch: aws.String(`"0"`)})
		note("delete", err)
		_, err = c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k"), IfMatch: &etag})
		note("delete", err)
		_, err = c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k"), IfMatch: &etag})
		note("delete", err)
		_, err = c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k")})
		note("head", err)
		_, err = put(ctx, c, "b", func(in *s3.PutObjectInput) { in.IfMatch = &etag })
		note("replace", err)
		_, err = put(ctx, c, "b", func(in *s3.PutObjectInput) { in.Bucket = aws.String("other") })
		note("put elsewhere", err)
	})
	if r.Failure != nil {
		t.Fatal(r.Failure)
	}
	const want = `make "0cc175b9c0f1b6a831c399e269772661"
make PreconditionFailed
replace PreconditionFailed
get a map[color:red] 00:00:00
list 1
delete PreconditionFailed
delete
delete NoSuchKey
head NotFound
replace NoSuchKey
put elsewhere NoSuchBucket
`
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
	if len(seen) != 2 || seen[0].Kind != model.RecordCreated || seen[0].Value != "a" || seen[1].Kind != model.RecordDeleted || seen[0].By.Client != "c1" {
		t.Errorf("%+v", seen)
	}
	chunked := false
	for i := range r.Events {
		chunked = chunked || strings.Contains(string(r.Events[i].Payload), "STREAMING-UNSIGNED-PAYLOAD-TRAILER") && strings.Contains(string(r.Events[i].Payload), "x-amz-checksum-crc32:")
	}
	if !chunked {
		t.Error("no PUT was aws-chunked with a checksum at its end, as those over TLS are")
	}
}

// TestFailures: what the library makes of failed requests.
func TestFailures(t *testing.T) {
	for _, test := range []struct {
		name  string
		fail  map[int]sims3.Failure
		jump  time.Duration // of the service's clock, before the first request
		want  string
		tries int
	}{
		{"none", nil, 0, "", 1},
		{"slow", map[int]sims3.Failure{1: sims3.SlowDown, 2: sims3.SlowDown}, 0, "", 3},
		{"slow for long", map[int]sims3.Failure{1: sims3.SlowDown, 2: sims3.SlowDown, 3: sims3.SlowDown}, 0, "SlowDown", 3},
		{"not executed", map[int]sims3.Failure{1: sims3.InternalError}, 0, "", 2},
		{"executed", map[int]sims3.Failure{1: sims3.InternalErrorDone}, 0, "PreconditionFailed", 2}, // by its own object
		{"conflict", map[int]sims3.Failure{1: sims3.Conflict}, 0, "ConditionalRequestConflict", 1},
		{"a clock that is off", nil, 14 * time.Minute, "", 1},
		{"a clock that is far off", nil, time.Hour, "", 2}, // the library takes over S3's time
	} {
		t.Run(test.name, func(t *testing.T) {
			tries, got := 0, ""
			r, _ := visit(t, func(s *sims3.Server, c *sim.Conn, n int) {
				if n == 1 && test.jump != 0 {
					s.Jump(test.jump)
				}
				tries = n
				if f := test.fail[n]; f != 0 {
					s.Fail(c, f)
				}
			}, func(ctx context.Context, c *s3.Client) {
				_, err := put(ctx, c, "a", ifNone)
				got = code(err)
			})
			if r.Failure != nil || got != test.want || tries != test.tries {
				t.Errorf("%v; %q after %d tries, want %q after %d", r.Failure, got, tries, test.want, test.tries)
			}
		})
	}
}

// TestRefused: a request that is not supported fails the run, by name.
func TestRefused(t *testing.T) {
	for want, do := range map[string]func(ctx context.Context, c *s3.Client) error{ // unordered: each by itself
		"the header Range of GetObject": func(ctx context.Context, c *s3.Client) error {
			_, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k"), Range: aws.String("bytes=0-1")})
			return err
		},
		"the header X-Amz-Copy-Source of PutObject": func(ctx context.Context, c *s3.Client) error {
			_, err := c.CopyObject(ctx, &s3.CopyObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k"), CopySource: aws.String("bucket/l")})
			return err
		},
		"POST /bucket/k?uploads=": func(ctx context.Context, c *s3.Client) error {
			_, err := c.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: aws.String("bucket"), Key: aws.String("k")})
			return err
		},
		"GET /bucket?versioning=": func(ctx context.Context, c *s3.Client) error {
			_, err := c.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: aws.String("bucket")})
			return err
		},
		"the parameter delimiter of ListObjectsV2": func(ctx context.Context, c *s3.Client) error {
			_, err := c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: aws.String("bucket"), Delimiter: aws.String("/")})
			return err
		},
		`If-None-Match: "0" of PutObject`: func(ctx context.Context, c *s3.Client) error {
			_, err := put(ctx, c, "a", func(in *s3.PutObjectInput) { in.IfNoneMatch = aws.String(`"0"`) })
			return err
		},
		"If-Match: * of PutObject": func(ctx context.Context, c *s3.Client) error {
			_, err := put(ctx, c, "a", func(in *s3.PutObjectInput) { in.IfMatch = aws.String("*") })
			return err
		},
	} {
		t.Run(want, func(t *testing.T) {
			r, _ := visit(t, nil, func(ctx context.Context, c *s3.Client) {
				if do(ctx, c) == nil {
					t.Error("it succeeds")
				}
			})
			if r.Failure == nil || !r.Failure.Refused || !strings.Contains(r.Failure.Reason, "the simulated S3 does not support "+want) {
				t.Errorf("%+v", r.Failure)
			}
		})
	}
}

// TestDefaultChecksum: without a checksum of the client, an object has its CRC-64/NVME; the library verifies it.
func TestDefaultChecksum(t *testing.T) {
	visit(t, nil, func(ctx context.Context, c *s3.Client) {
		plain := func(o *s3.Options) { o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired }
		_, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k"), Body: strings.NewReader("123456789")}, plain)
		if err != nil {
			t.Error(err)
		}
		out, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k"), ChecksumMode: types.ChecksumModeEnabled})
		if err != nil {
			t.Error(err)
			return
		}
		body, err := io.ReadAll(out.Body)
		// The check value of the algorithm is ae8b14860a799888.
		if got := aws.ToString(out.ChecksumCRC64NVME); err != nil || string(body) != "123456789" || got != "rosUhgp5mIg=" {
			t.Errorf("%s, %v, %s", body, err, got)
		}
	})
}

// TestWords: requests and answers in words.
func TestWords(t *testing.T) {
	r, _ := visit(t, nil, func(ctx context.Context, c *s3.Client) {
		etag, _ := put(ctx, c, "a", ifNone)
		_, _ = put(ctx, c, "a", ifNone)
		if out, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k")}); err == nil {
			_, _ = io.ReadAll(out.Body)
		}
		_, _ = c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k"), IfMatch: &etag})
	})
	var words []string
	for i := range r.Events {
		if len(r.Events[i].Payload) > 0 && r.Events[i].Kind == sim.EventDeliver {
			words = append(words, payload.Of("s3", r.Events, &r.Events[i]).Text)
		}
	}
	const want = `PUT k a if it does not exist
OK, it is 0cc175
PUT k a if it does not exist
412 PreconditionFailed
GET k
0cc175: a
DELETE k if it is 0cc175
204 No Content`
	if got := strings.Join(words, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
