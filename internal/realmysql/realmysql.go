package realmysql

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const (
	// tries is how many ports are tried: one that was free may be taken by
	// somebody else before the server has it.
	tries = 5
	// patience is how long a server may take until it answers.
	patience = 60 * time.Second
)

// Server is a running MariaDB.
type Server struct {
	// Addr is the host and port at which it listens.
	Addr string
	// DSN names it to github.com/go-sql-driver/mysql: user root, without a
	// password, in the empty database "test".
	DSN string

	process *exec.Cmd
	gone    chan struct{} // closed when the process has ended
	log     bytes.Buffer
}

// Installed reports whether there is a MariaDB.
func Installed() bool {
	_, err := exec.LookPath(install)
	return err == nil && program() != ""
}

// program is the path of the server, which is seldom on the PATH; empty if there is none.
func program() string {
	for _, name := range []string{"mariadbd", "/usr/sbin/mariadbd"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Need skips the test where there is no MariaDB, and fails it if the variable CI is set.
func Need(t testing.TB) {
	t.Helper()
	switch {
	case Installed():
	case os.Getenv("CI") != "":
		t.Fatal("there is no mariadbd, and CI needs it to compare with a real one")
	default:
		t.Skip("SKIPPED, NOT PASSED: there is no mariadbd. Nothing was compared with a real MariaDB; install it (Debian: apt install mariadb-server)")
	}
}

// Start starts a server with options of mariadbd besides its own, such as
// "--innodb-lock-wait-timeout=2", and stops it when the test is over. It returns
// when the server answers.
func Start(t testing.TB, options ...string) *Server {
	t.Helper()
	Need(t)
	var err error
	for range tries {
		var s *Server
		if s, err = launch(directory(t), options); err == nil {
			t.Cleanup(s.Stop)
			return s
		}
	}
	t.Fatalf("MariaDB does not start: %v", err)
	return nil
}

// directory is a temporary directory, in memory if there is such a place: a
// server does nothing while it waits for a busy disk, which can take seconds.
func directory(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "mariadb") //nolint:usetesting // see above
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// launch starts a server in the directory and waits until it answers.
func launch(dir string, options []string) (*Server, error) {
	data := filepath.Join(dir, "data")
	if err := newData(data); err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := free.Addr().String()
	_ = free.Close()
	_, port, _ := net.SplitHostPort(addr)
	s := &Server{Addr: addr, DSN: "root@tcp(" + addr + ")/test", gone: make(chan struct{})}
	s.process = exec.Command(program(), append([]string{
		"--no-defaults", "--datadir=" + data, "--socket=" + filepath.Join(dir, "socket"), "--pid-file=" + filepath.Join(dir, "pid"),
		"--bind-address=127.0.0.1", "--port=" + port, "--skip-name-resolve", "--user=" + owner(),
		"--innodb-buffer-pool-size=16M", "--innodb-flush-log-at-trx-commit=0",
	}, options...)...)
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

// answers reports whether the server greets clients.
func (s *Server) answers() bool {
	c, err := net.DialTimeout("tcp", s.Addr, time.Second)
	if err != nil {
		return false
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	const header, protocol = 4, 10 // of a packet; of the first one
	greeting := make([]byte, header+1)
	n, _ := c.Read(greeting)
	return n > header && greeting[header] == protocol
}

// Stop kills the server.
func (s *Server) Stop() {
	_ = s.process.Process.Kill()
	<-s.gone
}
