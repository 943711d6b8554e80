package realzk

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

// Server is a running ZooKeeper.
type Server struct {
	// Addr is the host and port at which it listens.
	Addr string

	*realserver.Process
}

// Need skips the test if there is no ZooKeeper, and fails it if the variable CI is set.
func Need(t testing.TB) {
	t.Helper()
	Kind.Need(t)
}

// Start starts a server with the given tick, and stops it when the test is over. It
// returns when the server answers. Sessions may last from two ticks to a minute.
func Start(t testing.TB, tick time.Duration) *Server {
	t.Helper()
	return realserver.Start(t, Kind, func(dir string) (*Server, error) { return launch(dir, tick) })
}

// Launch is [Start] for programs; the caller must stop the server.
func Launch(tick time.Duration) (s *Server, stop func(), err error) {
	return realserver.Launch(Kind, func(dir string) (*Server, error) { return launch(dir, tick) })
}

// launch starts a server in the directory and waits until it answers.
func launch(dir string, tick time.Duration) (*Server, error) {
	addr, err := realserver.FreeAddr()
	if err != nil {
		return nil, err
	}
	process, err := Run(dir, addr, tick)
	if err != nil {
		return nil, err
	}
	return &Server{Addr: addr, Process: process}, nil
}
