package lock

import (
	"context"
	"errors"
)

// ErrSoldOut is what Sell returns, wrapped or not, when the stock has less
// than was asked for, and nothing was sold.
var ErrSoldOut = errors.New("lock: sold out")

// A Stock is a number of items that orders are served from. It belongs to one
// client process and is safe for concurrent use.
type Stock interface {
	// Sell takes n items, at least one, for an order. It calls order once,
	// while it has the items locked, and takes them when order has returned
	// nil; of an order that fails nothing is taken and its error is returned.
	// After an error of the store n items may or may not have been taken.
	Sell(ctx context.Context, n int, order func(context.Context) error) error
	// Left is how many items there were a moment ago.
	Left(ctx context.Context) (int, error)
}

// A Filler is a stock that can be given its first items.
type Filler interface {
	// Fill gives the stock so many items and answers true; if it has had some
	// already it answers false and changes nothing. After an error it may or may
	// not have been filled.
	Fill(ctx context.Context, items int) (bool, error)
}
