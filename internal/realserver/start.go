package realserver

import (
	"fmt"
	"net"
	"os"
	"testing"
)

// tries is how often a server is started: a port that was free may be taken by
// somebody else before the server has it.
const tries = 5

// Start starts a server with launch, which is given a directory for the server's files and
// returns when the server answers, and stops it when the test is over. Without
// the server's program it is [Kind.Need].
func Start[S interface{ Stop() }](t testing.TB, k Kind, launch func(dir string) (S, error)) S {
	t.Helper()
	k.Need(t)
	s, err := Retry(k, func() (S, error) { return launch(directory(t)) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Retry calls launch until it starts a server, a few times at most. The error is the last one.
func Retry[S any](k Kind, launch func() (S, error)) (s S, err error) {
	for range tries {
		if s, err = launch(); err == nil {
			return s, nil
		}
	}
	return s, fmt.Errorf("%s does not start: %w", k.Name, err)
}

// directory is a temporary directory, in memory if there is such a place: a server does nothing while it
// waits for a busy disk, which can take seconds. Its name is short, as that of a socket must be.
func directory(t testing.TB) string {
	const pattern = "lockpick-server"
	dir, err := os.MkdirTemp("/dev/shm", pattern) //nolint:usetesting // see above
	if err != nil {
		dir, err = os.MkdirTemp("", pattern) //nolint:usetesting // see above
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// FreeAddr is a host and port of the loopback interface at which nobody listens.
func FreeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
