//go:build invariants

package holders

// invariants is set in programs that check what the package works out.
const invariants = true
