package realmysql

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

// Server is a running MariaDB.
type Server struct {
	// Addr is the host and port at which it listens.
	Addr string
	// DSN is its data source name for github.com/go-sql-driver/mysql: user root,
	// without a password, in the empty database "test".
	DSN string

	*realserver.Process
}

// Need skips the test if there is no MariaDB, and fails it if the variable CI is set.
func Need(t testing.TB) {
	t.Helper()
	Kind.Need(t)
}

// Start starts a server with further options of mariadbd, such as
// "--innodb-lock-wait-timeout=2", and stops it when the test is over. It returns when
// the server answers.
func Start(t testing.TB, options ...string) *Server {
	t.Helper()
	return realserver.Start(t, Kind, func(dir string) (*Server, error) { return launch(dir, options) })
}

// Launch is [Start] for programs; the caller must stop the server.
func Launch(options ...string) (s *Server, stop func(), err error) {
	return realserver.Launch(Kind, func(dir string) (*Server, error) { return launch(dir, options) })
}

// launch starts a server in the directory and waits until it answers.
func launch(dir string, options []string) (*Server, error) {
	addr, err := realserver.FreeAddr()
	if err != nil {
		return nil, err
	}
	process, err := Run(dir, addr, options...)
	if err != nil {
		return nil, err
	}
	return &Server{Addr: addr, DSN: DSN(addr), Process: process}, nil
}
