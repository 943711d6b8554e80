package realredis

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// tries is how many ports are tried: one that was free may be taken by
	// somebody else before the server has it.
	tries = 5
	// patience is how long a server may take until it answers.
	patience = 10 * time.Second
)

// Server is a running redis-server.
type Server struct {
	// Addr is the host and port at which it listens, Port the latter alone.
	Addr, Port string
	// Socket is the path of its Unix socket.
	Socket string

	process *exec.Cmd
	gone    chan struct{} // closed when the process has ended
	log     bytes.Buffer
	admin   *redis.Client
}

// Installed reports whether there is a redis-server on the PATH.
func Installed() bool {
	_, err := exec.LookPath("redis-server")
	return err == nil
}

// Need skips the test where there is no redis-server on the PATH, and fails it
// if the variable CI is set.
func Need(t testing.TB) {
	t.Helper()
	switch {
	case Installed():
	case os.Getenv("CI") != "":
		t.Fatal("redis-server is not on the PATH, and CI needs it to compare with a real Redis")
	default:
		t.Skip("SKIPPED, NOT PASSED: redis-server is not on the PATH. Nothing was compared with a real Redis; install it (Debian: apt install redis-server)")
	}
}

// Start starts a server, with further arguments for it, and stops it when the
// test is over. It returns when the server answers.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	Need(t)
	// t.TempDir's name may be too long for a socket.
	dir, err := os.MkdirTemp("", "redis") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s, err := Launch(dir, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Launch is [Start] for programs: it starts a server with its socket in dir, and
// returns when it answers. Whoever has started it stops it.
func Launch(dir string, args ...string) (s *Server, err error) {
	for range tries {
		if s, err = launch(dir, args); err == nil {
			return s, nil
		}
	}
	return nil, fmt.Errorf("redis-server does not start: %w", err)
}

// launch starts a server in the directory and waits until it answers.
func launch(dir string, args []string) (*Server, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: free.Addr().String(), Socket: filepath.Join(dir, "redis.sock"), gone: make(chan struct{})}
	_, s.Port, _ = net.SplitHostPort(s.Addr)
	_ = free.Close()
	s.process = exec.Command("redis-server", append([]string{
		"--port", s.Port, "--bind", "127.0.0.1", "--unixsocket", s.Socket, "--dir", dir,
		"--save", "", "--appendonly", "no", "--daemonize", "no", "--repl-diskless-sync-delay", "0",
	}, args...)...)
	s.process.Stdout, s.process.Stderr = &s.log, &s.log
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.process.Wait() // how it ended is in its log
		close(s.gone)
	}()
	s.admin = redis.NewClient(&redis.Options{Network: "unix", Addr: s.Socket, Protocol: 2, MaxRetries: -1})
	if err := s.ready(); err != nil {
		s.Stop()
		return nil, fmt.Errorf("%w:\n%s", err, s.log.String())
	}
	return s, nil
}

// ready waits until the server answers, or has ended.
func (s *Server) ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		err := s.admin.Ping(ctx).Err()
		if err == nil {
			return nil
		}
		select {
		case <-s.gone:
			return fmt.Errorf("it has ended")
		case <-ctx.Done():
			return fmt.Errorf("it does not answer within %v: %w", patience, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Stop kills the server.
func (s *Server) Stop() {
	_ = s.admin.Close()
	_ = s.process.Process.Kill()
	<-s.gone
}

// Flush removes all keys and scripts and ends all other connections, so that the
// next test finds the server as new.
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

// Client is a client of the server's, with go-redis's own defaults but for what
// edit changes, which may be nil. It is closed when the test is over.
func (s *Server) Client(t testing.TB, edit func(*redis.Options)) *redis.Client {
	o := &redis.Options{Addr: s.Addr}
	if edit != nil {
		edit(o)
	}
	client := redis.NewClient(o)
	t.Cleanup(func() { _ = client.Close() })
	return client
}
