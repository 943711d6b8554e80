package real

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

// network is what the members hear of each other. Losing is the member whose messages are lost.
type network struct {
	realserver.Network
	losing atomic.Pointer[string]
}

// losing is how long messages are lost: as long as a member takes to pass a request on.
const losing = 100 * time.Millisecond

// Lose has what a member sends others lost for 100 ms, with the connections.
func (s *servers) Lose(node string) {
	s.network.losing.Store(&node)
	time.AfterFunc(losing, func() { s.network.losing.CompareAndSwap(&node, nil) })
}

var errLost = errors.New("it was lost")

// wait waits until what one member sends another is not held, or its connection is given up.
func (n *network) wait(ctx context.Context, from, to string) error {
	for {
		if member := n.losing.Load(); member != nil && *member == from {
			return errLost
		}
		if from == "" || !n.Holds(from, to) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// proxy accepts the connections of the other members to a member. They speak HTTP: a request that a member posts has
// messages to the one that is asked, and an answer that does not end has messages from that one. Each request names the
// member that makes it.
type proxy struct {
	server *http.Server
	addr   string
}

// proxy starts the proxy of a member that listens to others at an address. Names are those of the members, by their numbers.
func (n *network) proxy(member, addr string, names func(id string) string) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	asker := func(r *http.Request) string { return names(r.Header.Get("X-Server-From")) }
	reverse := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: addr})
	reverse.FlushInterval = -1
	reverse.Transport = &http.Transport{}
	reverse.ErrorLog = log.New(io.Discard, "", 0)
	reverse.ModifyResponse = func(r *http.Response) error {
		r.Body = &heldBody{r.Body, func() error { return n.wait(r.Request.Context(), member, asker(r.Request)) }}
		return nil
	}
	p := &proxy{addr: l.Addr().String(), server: &http.Server{
		ReadHeaderTimeout: patience, ErrorLog: log.New(io.Discard, "", 0),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n.wait(r.Context(), asker(r), member) == nil {
				reverse.ServeHTTP(w, r)
			}
		}),
	}}
	go func() { _ = p.server.Serve(l) }() // until it is closed
	return p, nil
}

// heldBody is an answer of which each part waits until it may be passed on.
type heldBody struct {
	io.ReadCloser
	wait func() error
}

func (b *heldBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if held := b.wait(); held != nil {
		return 0, held
	}
	return n, err
}
