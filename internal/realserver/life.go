package realserver

import (
	"context"
	"net"
	"testing"
)

// CheckLife tests a package that starts servers: a server takes connections at the address, and is gone with the test that
// started it.
func CheckLife(t *testing.T, need func(testing.TB), start func(*testing.T) (addr string)) {
	need(t)
	var addr string
	up := t.Run("up", func(t *testing.T) {
		addr = start(t)
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
	})
	if !up {
		return
	}
	if c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", addr); err == nil {
		_ = c.Close()
		t.Errorf("%s still listens when its test is over", addr)
	}
}
