package realpostgres

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

// Server is a running PostgreSQL.
type Server struct {
	// Addr is the host and port at which it listens, and Socket the path of its socket.
	Addr, Socket string
	// DSN is its connection string: user and database postgres, without a password.
	DSN string

	*Process
}

// Need skips the test if there is no PostgreSQL, and fails it if the variable CI is set.
func Need(t testing.TB) {
	t.Helper()
	Kind.Need(t)
}

// Start starts a server with further settings, such as "deadlock_timeout=10ms", and stops it when the test is over. It
// returns when the server answers.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	return realserver.Start(t, Kind, func(dir string) (*Server, error) { return launch(dir, settings) })
}

// Launch is [Start] for programs; the caller must stop the server.
func Launch(settings ...string) (s *Server, stop func(), err error) {
	return realserver.Launch(Kind, func(dir string) (*Server, error) { return launch(dir, settings) })
}

// launch starts a server in the directory and waits until it answers.
func launch(dir string, settings []string) (*Server, error) {
	addr, err := realserver.FreeAddr()
	if err != nil {
		return nil, err
	}
	process, err := Run(dir, addr, settings...)
	if err != nil {
		return nil, err
	}
	return &Server{Addr: addr, Socket: Socket(dir, addr), DSN: DSN(addr), Process: process}, nil
}
