package types

import "math/big"

// Numeric is a decimal number: Unscaled / 10^Scale, or NaN or an infinity. Scale is how many digits after the point are
// shown.
type Numeric struct {
	Unscaled *big.Int
	Scale    int
	// Special is 0 for a number, 'n' for NaN, '+' and '-' for the infinities.
	Special byte
}
