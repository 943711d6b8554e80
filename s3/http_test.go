package s3

import (
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// refusing is an HTTP client that keeps the header User-Agent of the last request, and carries out none.
type refusing struct{ agent string }

func (c *refusing) Do(r *http.Request) (*http.Response, error) {
	c.agent = r.Header.Get("User-Agent")
	return nil, errors.New("refused")
}

// TestAnywhere: of what the library says in a request about where it runs, nothing is left, and the rest is.
func TestAnywhere(t *testing.T) {
	t.Setenv("AWS_EXECUTION_ENV", "CloudShell")
	c := &refusing{}
	client := s3.New(s3.Options{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""), HTTPClient: c, Retryer: aws.NopRetryer{},
	})
	if _, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(Bucket), Key: aws.String("lock")}); err == nil {
		t.Fatal("a refused request has succeeded")
	}
	release := strings.TrimPrefix(runtime.Version(), "go")
	for _, word := range []string{runtime.GOOS, runtime.GOARCH, release, "CloudShell"} {
		if !strings.Contains(c.agent, word) {
			t.Errorf("the library does not say %q any more: %q", word, c.agent)
		}
		if strings.Contains(anywhere(c.agent), word) {
			t.Errorf("%q is left: %q", word, anywhere(c.agent))
		}
	}
	if got := anywhere(c.agent); !strings.HasPrefix(got, "aws-sdk-go-v2/"+aws.SDKVersion+" ") || !strings.Contains(got, " api/s3#") {
		t.Errorf("the version of the library is missing: %q", got)
	}
}
