package realetcd

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

const (
	// tries is how many pairs of ports are tried: one that was free may be taken by
	// somebody else before the server has it.
	tries = 5
	// patience is how long a server may take until it answers.
	patience = 60 * time.Second
)

// Server is a running etcd.
type Server struct {
	// Addr is the host and port at which it listens to clients.
	Addr string

	process *exec.Cmd
	gone    chan struct{} // closed when the process has ended
	log     bytes.Buffer
}

// Installed reports whether there is an etcd.
func Installed() bool {
	_, err := exec.LookPath("etcd")
	return err == nil
}

// Need skips the test where there is no etcd, and fails it if the variable CI is set.
func Need(t testing.TB) {
	t.Helper()
	switch {
	case Installed():
	case os.Getenv("CI") != "":
		t.Fatal("etcd is not on the PATH, and CI needs it to compare with a real one")
	default:
		t.Skip("SKIPPED, NOT PASSED: etcd is not on the PATH. Nothing was compared with a real etcd; install it (Debian: apt install etcd-server)")
	}
}

// Start starts a server with an election time-out, of 50 ms to 50 s, and stops it when the
// test is over. It returns when the server answers. The shortest lease lasts half as long
// again as the election time-out, in whole seconds, rounded up.
func Start(t testing.TB, election time.Duration) *Server {
	t.Helper()
	Need(t)
	var err error
	for range tries {
		var s *Server
		if s, err = launch(directory(t), election); err == nil {
			t.Cleanup(s.Stop)
			return s
		}
	}
	t.Fatalf("etcd does not start: %v", err)
	return nil
}

// directory is a temporary directory, in memory if there is such a place: a
// server does nothing while it waits for a busy disk, which can take seconds.
func directory(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "etcd") //nolint:usetesting // see above
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// free is an address at which nobody listens.
func free() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// launch starts a server in the directory and waits until it answers.
func launch(dir string, election time.Duration) (*Server, error) {
	clients, err := free()
	if err != nil {
		return nil, err
	}
	peers, err := free()
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: clients, gone: make(chan struct{})}
	milliseconds := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	s.process = exec.Command("etcd",
		"--data-dir", filepath.Join(dir, "data"), "--name", "one",
		"--listen-client-urls", "http://"+clients, "--advertise-client-urls", "http://"+clients,
		"--listen-peer-urls", "http://"+peers, "--initial-advertise-peer-urls", "http://"+peers,
		"--initial-cluster", "one=http://"+peers,
		"--heartbeat-interval", milliseconds(election/5), "--election-timeout", milliseconds(election))
	s.process.Dir = dir
	s.process.Stdout, s.process.Stderr = &s.log, &s.log
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.process.Wait() // how it ended is in its log
		close(s.gone)
	}()
	if err := s.ready(); err != nil {
		s.Stop()
		return nil, fmt.Errorf("%w:\n%s", err, s.log.String())
	}
	return s, nil
}

// ready waits until the server answers, or has ended.
func (s *Server) ready() error {
	deadline := time.After(patience)
	for !s.answers() {
		select {
		case <-s.gone:
			return fmt.Errorf("it has ended")
		case <-deadline:
			return fmt.Errorf("it does not answer within %v", patience)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// answers reports whether the server serves clients: it has a leader.
func (s *Server) answers() bool {
	client := http.Client{Timeout: time.Second}
	r, err := client.Get("http://" + s.Addr + "/health")
	if err != nil {
		return false
	}
	defer r.Body.Close()
	body, _ := io.ReadAll(r.Body)
	return bytes.Contains(body, []byte(`"true"`))
}

// Stop kills the server.
func (s *Server) Stop() {
	_ = s.process.Process.Kill()
	<-s.gone
}
