package bubble

import (
	"crypto/fips140"
	"crypto/rand"
	"testing"
	"testing/cryptotest"
)

// seedCrypto seeds crypto/rand until the test ends, but for its Reader, which others have set.
func seedCrypto(t *testing.T, seed uint64) {
	if !testing.Testing() || fips140.Version() == "v1.0.0" { // where SetGlobalRandom panics
		return
	}
	reader := rand.Reader
	cryptotest.SetGlobalRandom(t, seed)
	rand.Reader = reader
}
