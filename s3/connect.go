package s3

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/s3/store"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Bucket is the name of the only bucket.
const Bucket = store.Bucket

// Store is S3: a bucket behind one server.
var Store stage.Store = store.New(store.Drivers{
	"github.com/aws/aws-sdk-go-v2/service/s3": s3.NewFromConfig,
	"github.com/aws/aws-sdk-go-v2":            aws.NewConfig,
})

func init() { stage.Link("s3.Store", "github.com/lockpick-dev/lockpick/s3") }

// Connect returns a client process's client of S3, of aws-sdk-go-v2.
//
// Everything is the library's default, as config.LoadDefaultConfig sets it where nothing else is configured, except
// that connections are made in the simulated network without TLS, each thread of a process has a pool of connections of
// its own, requests are in path style, the region and the credentials are constants, and the header User-Agent does not name
// the platform and the release of Go, so that runs are the same everywhere. In particular a request is tried up to three times, with random waits of up to a second and
// of up to two, and there are no time-outs: a request waits until its context ends or its connection breaks.
//
// The library goes by package time, not by [cell.Client.Clock]: for its waits, and for the date of a request.
func Connect(h cell.Host) *s3.Client { return ConnectWith(h, nil) }

// ConnectWith is [Connect] with other options of the library. Set, if not nil, may change all of them except those that
// [Route] sets.
func ConnectWith(h cell.Host, set func(*s3.Options)) *s3.Client {
	o := s3.Options{
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenSupported,
	}
	if set != nil {
		set(&o)
	}
	Route(h, &o)
	return s3.New(o)
}

// Route leads the requests of a client to the simulated server, whatever endpoint its options name. It sets the region,
// the credentials, the endpoint, path style and the HTTP client.
func Route(h cell.Host, o *s3.Options) {
	c := h.AsClient().Reach(store.ID, "s3.Store")
	address := c.Addresses()[0]
	o.Region, o.UsePathStyle = "us-east-1", true
	o.Credentials = credentials.NewStaticCredentialsProvider("key", "secret", "")
	if c.Process() == nil {
		o.BaseEndpoint, o.HTTPClient = aws.String("http://"+address), httpClient(c, address)
		return
	}
	o.HTTPClient = &pools{
		process: c.Process(), of: map[int]*awshttp.BuildableClient{},
		open: func() *awshttp.BuildableClient { return httpClient(c, address) },
	}
}
