//go:build !invariants

package sim

// invariants reports whether each event is checked before it happens.
const invariants = false
