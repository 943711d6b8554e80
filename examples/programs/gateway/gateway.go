// Package gateway has one process that holds the lock for others, over net/http: GET /take answers 200
// with a token, or 409 if another has it; GET /give?token= gives it back. It forgets who has it when it
// crashes.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Gateway is the server. Its zero value is ready to use.
type Gateway struct {
	// Next gives the next token, which must be greater than all before. Without it tokens begin with 1
	// again when the gateway starts anew.
	Next func(ctx context.Context) (int64, error)

	mu     sync.Mutex
	held   bool
	last   int64
	holder int64
}

// Serve serves until ctx has ended.
func (g *Gateway) Serve(ctx context.Context, l net.Listener) error {
	mux := http.NewServeMux()
	mux.HandleFunc("/take", g.take)
	mux.HandleFunc("/give", g.give)
	s := &http.Server{Handler: mux}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

func (g *Gateway) take(w http.ResponseWriter, r *http.Request) {
	var token int64
	if g.Next != nil {
		n, err := g.Next(r.Context()) // not under the mutex: it asks a server
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		token = n
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held {
		http.Error(w, "taken", http.StatusConflict)
		return
	}
	g.last++
	if token == 0 {
		token = g.last
	}
	g.held, g.holder = true, token
	fmt.Fprint(w, token)
}

func (g *Gateway) give(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n, err := strconv.ParseInt(r.FormValue("token"), 10, 64); err == nil && n == g.holder {
		g.held = false
	}
}

// Client takes and gives back.
type Client struct {
	HTTP  *http.Client
	URL   string
	Sleep func(time.Duration)
}

// Take waits until it has the lock, and returns its token.
func (c *Client) Take(ctx context.Context) (token int64, err error) {
	for ctx.Err() == nil {
		if code, body, err := c.get(ctx, "/take"); err == nil && code == http.StatusOK {
			return strconv.ParseInt(body, 10, 64)
		}
		c.Sleep(50 * time.Millisecond)
	}
	return 0, ctx.Err()
}

// Give gives it back.
func (c *Client) Give(ctx context.Context, token int64) error {
	_, _, err := c.get(ctx, "/give?token="+strconv.FormatInt(token, 10))
	return err
}

func (c *Client) get(ctx context.Context, path string) (code int, body string, err error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+path, nil)
	if err != nil {
		return 0, "", err
	}
	r, err := c.HTTP.Do(q)
	if err != nil {
		return 0, "", err
	}
	text, err := io.ReadAll(r.Body)
	return r.StatusCode, string(text), errors.Join(err, r.Body.Close())
}
