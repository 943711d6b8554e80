// Package recipe has what the locks over MySQL are made of, the sound ones and the flawed ones: statements
// that are given up after a while and tried again, leases in rows, row locks, and stocks.
package recipe
