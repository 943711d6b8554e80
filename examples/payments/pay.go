// Package payments pays orders by an HTTP service. A lock in Redis keeps two workers from paying the same order. The file
// pay.go is what runs in production; service.go simulates the service, as a store that Lockpick does not know.
package payments

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// Payment is a payment of an order.
type Payment struct {
	Order string `json:"order"`
	Cents int64  `json:"cents"`
}

// Client asks the service. It is safe for concurrent use.
type Client struct {
	HTTP *http.Client
	URL  string // of the service
}

// Paid returns the payments of an order.
func (c *Client) Paid(ctx context.Context, order string) (list []Payment, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+"/payments?order="+url.QueryEscape(order), nil)
	if err != nil {
		return nil, err
	}
	return list, c.do(r, &list)
}

// Pay pays. With a key, which may be empty, the service pays once, however often it is asked. After an error it may have
// paid or not, or may pay later.
func (c *Client) Pay(ctx context.Context, p Payment, key string) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/payments", bytes.NewReader(body))
	if err != nil {
		return err
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	return c.do(r, &p)
}

func (c *Client) do(r *http.Request, answer any) error {
	a, err := c.HTTP.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = a.Body.Close() }() // it was read
	if a.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("payments: %s %s: %s", r.Method, r.URL.Path, a.Status)
	}
	return json.NewDecoder(a.Body).Decode(answer)
}

// Worker pays an order, unless it is paid.
type Worker struct {
	Client *Client
	Lock   lock.Locker
	Sleep  func(time.Duration)
	Keyed  bool // its requests have a key, the same for all that pay the order
}

const tries, pause = 3, 200 * time.Millisecond

// Run pays the order under the lock. It tries until the order is paid or ctx is done.
func (w *Worker) Run(ctx context.Context, p Payment) error {
	for ctx.Err() == nil {
		held, err := w.Lock.Acquire(ctx)
		if err == nil {
			err = w.pay(ctx, p)
			_ = held.Release(ctx) // otherwise it ends by itself
		}
		if err == nil {
			return nil
		}
		w.Sleep(pause)
	}
	return ctx.Err()
}

// pay looks whether the order is paid, and pays it otherwise. A request that fails is repeated.
func (w *Worker) pay(ctx context.Context, p Payment) error {
	list, err := w.Client.Paid(ctx, p.Order)
	if err != nil || len(list) > 0 {
		return err
	}
	key := ""
	if w.Keyed {
		key = p.Order
	}
	for range tries {
		if err = w.Client.Pay(ctx, p, key); err == nil {
			return nil
		}
		w.Sleep(pause)
	}
	return err
}
