//go:build !invariants

package holders

// invariants reports whether the package checks its own results.
const invariants = false
