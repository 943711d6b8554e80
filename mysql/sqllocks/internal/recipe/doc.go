// Package recipe is shared by the locks over MySQL, the sound ones and the flawed ones: it has statements
// with time-outs and retries, leases in rows, row locks, and stocks.
package recipe
