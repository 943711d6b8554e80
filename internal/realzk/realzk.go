package realzk

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const (
	// classes is where Debian's package has ZooKeeper; its manifest names the rest.
	classes = "/usr/share/java/zookeeper.jar"
	// tries is how many ports are tried: one that was free may be taken by
	// somebody else before the server has it.
	tries = 5
	// patience is how long a server may take until it answers.
	patience = 60 * time.Second
)

// Server is a running ZooKeeper.
type Server struct {
	// Addr is the host and port at which it listens.
	Addr string

	process *exec.Cmd
	gone    chan struct{} // closed when the process has ended
	log     bytes.Buffer
}

// Installed reports whether there are Java and ZooKeeper.
func Installed() bool {
	if _, err := os.Stat(classes); err != nil {
		return false
	}
	_, err := exec.LookPath("java")
	return err == nil
}

// Need skips the test where there is no ZooKeeper, and fails it if the variable
// CI is set.
func Need(t testing.TB) {
	t.Helper()
	switch {
	case Installed():
	case os.Getenv("CI") != "":
		t.Fatalf("java is not on the PATH or there is no %s, and CI needs them to compare with a real ZooKeeper", classes)
	default:
		t.Skipf("SKIPPED, NOT PASSED: java is not on the PATH or there is no %s. Nothing was compared with a real ZooKeeper; install it (Debian: apt install zookeeper default-jre-headless)", classes)
	}
}

// Start starts a server with a tick, and stops it when the test is over. It
// returns when the server answers. Sessions may last from two ticks to a minute.
func Start(t testing.TB, tick time.Duration) *Server {
	t.Helper()
	Need(t)
	var err error
	for range tries {
		var s *Server
		if s, err = launch(directory(t), tick); err == nil {
			t.Cleanup(s.Stop)
			return s
		}
	}
	t.Fatalf("ZooKeeper does not start: %v", err)
	return nil
}

// directory is a temporary directory, in memory if there is such a place: a
// server does nothing while it waits for a busy disk, which can take seconds.
func directory(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "zookeeper") //nolint:usetesting // see above
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// launch starts a server in the directory and waits until it answers.
func launch(dir string, tick time.Duration) (*Server, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: free.Addr().String(), gone: make(chan struct{})}
	_ = free.Close()
	file, err := configure(dir, s.Addr, tick)
	if err != nil {
		return nil, err
	}
	s.process = exec.Command("java",
		"-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", // little memory, soon ready, no files
		"-cp", classes, "org.apache.zookeeper.server.quorum.QuorumPeerMain", file)
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

// configure writes the server's configuration.
func configure(dir, addr string, tick time.Duration) (file string, err error) {
	host, port, _ := net.SplitHostPort(addr)
	file = filepath.Join(dir, "zoo.cfg")
	return file, os.WriteFile(file, fmt.Appendf(nil, `dataDir=%s
clientPortAddress=%s
clientPort=%s
tickTime=%d
minSessionTimeout=%d
maxSessionTimeout=60000
maxClientCnxns=0
preAllocSize=64
forceSync=no
admin.enableServer=false
4lw.commands.whitelist=srvr
`, filepath.Join(dir, "data"), host, port, tick.Milliseconds(), 2*tick.Milliseconds()), 0o600)
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

// answers reports whether the server serves clients.
func (s *Server) answers() bool {
	c, err := net.DialTimeout("tcp", s.Addr, time.Second)
	if err != nil {
		return false
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := c.Write([]byte("srvr")); err != nil {
		return false
	}
	answer, _ := io.ReadAll(c)
	return bytes.HasPrefix(answer, []byte("Zookeeper version"))
}

// Stop kills the server.
func (s *Server) Stop() {
	_ = s.process.Process.Kill()
	<-s.gone
}
