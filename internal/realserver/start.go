package realserver

import (
	"fmt"
	"net"
	"os"
	"testing"
)

// tries is the number of attempts to start a server: another process may take a free port before the server does.
const tries = 5

// Start starts a server with launch, and stops it when the test is over. launch gets a directory for the server's files
// and returns when the server answers. If the server is not installed Start calls [Kind.Need].
func Start[S interface{ Stop() }](t testing.TB, k Kind, launch func(dir string) (S, error)) S {
	t.Helper()
	k.Need(t)
	s, stop, err := Launch(k, launch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return s
}

// Launch is [Start] for programs: the caller stops the server. Another process may take a free port before the server
// does, so launch is called a few times until it starts a server. The error is the last one, or a [MissingError] if the
// server is not installed.
func Launch[S interface{ Stop() }](k Kind, launch func(dir string) (S, error)) (s S, stop func(), err error) {
	if missing := k.Missing(); missing != "" {
		return s, nil, &MissingError{Kind: k, Missing: missing}
	}
	var last error
	for range tries {
		dir, err := Directory()
		if err != nil {
			return s, nil, err
		}
		if s, err = launch(dir); err == nil {
			return s, func() {
				s.Stop()
				_ = os.RemoveAll(dir)
			}, nil
		}
		_ = os.RemoveAll(dir)
		last = err
	}
	return s, nil, fmt.Errorf("%s does not start: %w", k.Name, last)
}

// pattern is the beginning of the names of servers' directories.
const pattern = "lockpick-server"

// Directory makes a temporary directory, in memory if possible: a server does nothing while it waits for a busy disk,
// which can take seconds. Its name is short, as that of a socket must be. It first removes directories of killed programs.
func Directory() (string, error) {
	for _, place := range []string{"/dev/shm", os.TempDir()} {
		sweep(place)
		dir, err := os.MkdirTemp(place, pattern)
		if err == nil {
			return dir, hold(dir)
		}
		if place != "/dev/shm" {
			return "", err
		}
	}
	return "", os.ErrNotExist // there is always a second place
}

// FreeAddrs returns n distinct addresses like [FreeAddr].
func FreeAddrs(n int) (list []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // not earlier: it might be taken for the next one
		list = append(list, l.Addr().String())
	}
	return list, nil
}

// FreeAddr returns a host and port of the loopback interface at which no process listens.
func FreeAddr() (string, error) {
	list, err := FreeAddrs(1)
	if err != nil {
		return "", err
	}
	return list[0], nil
}
