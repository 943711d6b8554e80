// Package globals draws from process-wide random sources, as code under test
// does. It stands under testdata because nothing else in this module may.
package globals

import (
	"crypto/rand"
	mrand "math/rand"
	mrand2 "math/rand/v2"
	"os"
	"sync/atomic"
)

// Seedable draws from the sources that each run seeds.
func Seedable() (int64, string) { return mrand.Int63(), rand.Text() }

var drawn atomic.Uint64

// Unseedable depends on the process, and on what it has drawn before.
func Unseedable() uint64 {
	return mrand2.New(mrand2.NewPCG(uint64(os.Getpid()), drawn.Add(1))).Uint64()
}
