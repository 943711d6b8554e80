package s3

import (
	"context"
	"net"
	"net/http"
	"regexp"
	"sync"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/sim"
)

// connectTimeout is the library's limit for making a connection.
const connectTimeout = 30 * time.Second

// httpClient returns the library's own HTTP client, whose connections lead to an address, without TLS.
func httpClient(c *cell.Client, address string) *awshttp.BuildableClient {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		p := c.Process()
		if p == nil {
			return c.Dial(ctx, "tcp", address)
		}
		conn, err := p.DialContext(ctx, "tcp", address, connectTimeout)
		if simulated, is := conn.(*sim.Conn); is { // a request, whose header is written before its body, is one segment
			simulated.Gather(func(written []byte) []byte { return written })
		}
		return conn, err
	}
	return awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.Proxy = nil
		t.DialContext, t.DialTLSContext = dial, dial
	})
}

// pools has a pool of connections for each thread of a process, and one for goroutines of no thread: a connection that
// several threads use would not show whose requests it has. Requests that begin in one step take connections one after
// another, since the scheduler would decide which gets which.
type pools struct {
	process *sim.Process
	open    func() *awshttp.BuildableClient

	mu sync.Mutex
	of map[int]*awshttp.BuildableClient // by thread, -1 for none
}

// platform matches the words of the header User-Agent that name the operating system, the processor, the release of Go and
// the environment (AWS_EXECUTION_ENV).
var platform = regexp.MustCompile(` (os/|lang/|md/GOOS#|md/GOARCH#|exec-env/)[^ ]*`)

// anywhere returns a header User-Agent without these words: the bytes of a request are in the hash of its run, which is the
// same on all machines.
func anywhere(agent string) string { return platform.ReplaceAllString(agent, "") }

// Do makes a request. The library makes r anew for each try.
func (p *pools) Do(r *http.Request) (*http.Response, error) {
	thread, known := p.process.Thread()
	if !known {
		thread = -1
	}
	p.mu.Lock()
	client := p.of[thread]
	if client == nil {
		client = p.open()
		p.of[thread] = client
	}
	p.mu.Unlock()
	r.Header.Set("User-Agent", anywhere(r.Header.Get("User-Agent")))
	p.process.AwaitTurnAnyway(r.Method+" "+r.URL.RequestURI(), client)
	return client.Do(r)
}
