// Package recipe is shared by the locks over PostgreSQL, the sound ones and the flawed ones: it has
// statements with time-outs and retries, connections that have a lock, leases in rows, and stocks.
package recipe
