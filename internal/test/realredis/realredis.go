package realredis

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/redis/go-redis/v9"
)

// program is the name of the server's program.
const program = "redis-server"

var kind = realserver.Kind{
	Name:     "Redis",
	Missing:  func() string { return realserver.NotOnPath(program) },
	Packages: "redis-server",
}

// Server is a running redis-server.
type Server struct {
	// Addr is the host and port at which it listens, Port the latter alone.
	Addr, Port string
	// Socket is the path of its Unix socket.
	Socket string

	bus string // the port for other nodes of its cluster

	process *realserver.Process
	admin   *redis.Client
}

// Installed reports whether there is a redis-server on the PATH.
func Installed() bool { return kind.Installed() }

// Need skips the test if there is no redis-server on the PATH, and fails it if the variable CI is set.
func Need(t testing.TB) {
	t.Helper()
	kind.Need(t)
}

// Start starts a server, with further arguments for it, and stops it when the
// test is over. It returns when the server answers.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	return realserver.Start(t, kind, func(dir string) (*Server, error) { return launch(dir, args) })
}

// Launch is [Start] for programs: the caller stops the server.
func Launch(args ...string) (s *Server, stop func(), err error) {
	return realserver.Launch(kind, func(dir string) (*Server, error) { return launch(dir, args) })
}

// launch starts a server in the directory and waits until it answers.
func launch(dir string, args []string) (*Server, error) {
	s, err := newServer(dir)
	if err != nil {
		return nil, err
	}
	return s, s.run(dir, exec.Command(program, append([]string{
		"--port", s.Port, "--bind", "127.0.0.1", "--unixsocket", s.Socket, "--dir", dir,
		"--save", "", "--appendonly", "no", "--daemonize", "no", "--repl-diskless-sync-delay", "0",
	}, args...)...))
}

// newServer returns a server for the directory, with a free address.
func newServer(dir string) (*Server, error) {
	addr, err := realserver.FreeAddr()
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: addr, Socket: filepath.Join(dir, "redis.sock")}
	_, s.Port, _ = net.SplitHostPort(addr)
	s.admin = redis.NewClient(&redis.Options{Network: "unix", Addr: s.Socket, Protocol: 2, MaxRetries: -1})
	return s, nil
}

// run starts its process and waits until it answers.
func (s *Server) run(dir string, command *exec.Cmd) (err error) {
	s.process, err = realserver.Run(dir, command, func() error { return s.admin.Ping(context.Background()).Err() })
	if err != nil {
		_ = s.admin.Close()
	}
	return err
}

// Stop kills the server and waits until it is gone.
func (s *Server) Stop() {
	_ = s.admin.Close()
	s.process.Stop()
}

// Freeze stops the server's process until the returned function is called or the test is over. Connections stay open, and
// requests wait.
func (s *Server) Freeze(t testing.TB) (thaw func()) {
	t.Helper()
	return s.process.Freeze(t)
}

// CPU returns the processor time that the server has used until now.
func (s *Server) CPU() (time.Duration, error) { return s.process.CPU() }

// Replicates waits until n replicas have all of the server's data.
func (s *Server) Replicates(n int) error {
	online := regexp.MustCompile(`(?m)^slave\d+:.*state=online`)
	for range 500 {
		info, err := s.admin.Info(context.Background(), "replication").Result()
		if err != nil {
			return err
		}
		if len(online.FindAllString(info, -1)) >= n {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("%d replicas do not reach their Redis", n)
}

// Flush removes all keys and scripts and ends all other connections, so that the next test finds a clean server.
func (s *Server) Flush(t testing.TB) {
	t.Helper()
	s.Disconnect(t)
	for _, command := range [][]any{{"flushall"}, {"script", "flush"}, {"config", "resetstat"}} {
		if err := s.admin.Do(t.Context(), command...).Err(); err != nil {
			t.Fatalf("%v: %v", command, err)
		}
	}
}

// Disconnect ends the connections of all clients but those of replicas.
func (s *Server) Disconnect(t testing.TB) {
	t.Helper()
	for _, kind := range []string{"normal", "pubsub"} {
		if err := s.admin.Do(t.Context(), "client", "kill", "type", kind, "skipme", "yes").Err(); err != nil {
			t.Fatalf("CLIENT KILL TYPE %s: %v", kind, err)
		}
	}
}

// Client returns a client of the server, with go-redis's own defaults except for the changes by edit, which may be nil. It
// is closed when the test is over.
func (s *Server) Client(t testing.TB, edit func(*redis.Options)) *redis.Client {
	o := &redis.Options{Addr: s.Addr}
	if edit != nil {
		edit(o)
	}
	client := redis.NewClient(o)
	t.Cleanup(func() { _ = client.Close() })
	return client
}
