// Package globals draws from process-wide random sources, as code under test
// does. It stands under testdata because nothing else in this module may.
package globals

import (
	"crypto/rand"
	mrand "math/rand"
	mrand2 "math/rand/v2"
)

// Seedable draws from the sources that each run seeds.
func Seedable() (int64, string) { return mrand.Int63(), rand.Text() }

// Unseedable draws from the one that nobody can seed.
func Unseedable() uint64 { return mrand2.Uint64() }
