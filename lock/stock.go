package lock

import (
	"context"
	"errors"
)

// ErrSoldOut is returned by Sell, wrapped or not, when the stock has fewer items
// than the order asks for. Nothing was sold.
var ErrSoldOut = errors.New("lock: sold out")

// A Stock is a number of items to serve orders from. It belongs to one client
// process and is safe for concurrent use.
type Stock interface {
	// Sell takes n items, at least one, for an order. It calls order once, while it has
	// the items locked, and takes them when order has returned nil. If order fails,
	// Sell takes nothing and returns its error. After an error of the store n items may
	// or may not have been taken.
	Sell(ctx context.Context, n int, order func(context.Context) error) error
	// Left returns the number of items a moment ago.
	Left(ctx context.Context) (int, error)
}

// A Filler is a stock that can be given its first items, once.
type Filler interface {
	// Fill puts the given number of items into the stock and returns true; if it
	// was filled before it returns false and changes nothing. After an error the
	// stock may or may not have been filled.
	Fill(ctx context.Context, items int) (bool, error)
}
