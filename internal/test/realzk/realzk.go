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

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

const (
	program = "java"
	// classes is where Debian's package has ZooKeeper; its manifest names the rest.
	classes = "/usr/share/java/zookeeper.jar"
)

var kind = realserver.Kind{Name: "ZooKeeper", Missing: missing, Packages: "zookeeper default-jre-headless"}

// missing is a [realserver.Kind]'s.
func missing() string {
	if _, err := os.Stat(classes); err != nil {
		return "there is no " + classes
	}
	return realserver.NotOnPath(program)
}

// Server is a running ZooKeeper.
type Server struct {
	// Addr is the host and port at which it listens.
	Addr string

	*realserver.Process
}

// Need skips the test where there is no ZooKeeper, and fails it if the variable
// CI is set.
func Need(t testing.TB) {
	t.Helper()
	kind.Need(t)
}

// Start starts a server with a tick, and stops it when the test is over. It
// returns when the server answers. Sessions may last from two ticks to a minute.
func Start(t testing.TB, tick time.Duration) *Server {
	t.Helper()
	return realserver.Start(t, kind, func(dir string) (*Server, error) { return launch(dir, tick) })
}

// Launch is [Start] for programs: the caller stops the server.
func Launch(tick time.Duration) (s *Server, stop func(), err error) {
	return realserver.Launch(kind, func(dir string) (*Server, error) { return launch(dir, tick) })
}

// launch starts a server in the directory and waits until it answers.
func launch(dir string, tick time.Duration) (*Server, error) {
	addr, err := realserver.FreeAddr()
	if err != nil {
		return nil, err
	}
	file, err := configure(dir, addr, tick)
	if err != nil {
		return nil, err
	}
	process, err := realserver.Run(dir, exec.Command(program,
		"-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", // little memory, soon ready, no files
		"-cp", classes, "org.apache.zookeeper.server.quorum.QuorumPeerMain", file),
		func() error { return ask(addr) })
	if err != nil {
		return nil, err
	}
	return &Server{Addr: addr, Process: process}, nil
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
4lw.commands.whitelist=srvr,mntr
`, filepath.Join(dir, "data"), host, port, tick.Milliseconds(), 2*tick.Milliseconds()), 0o600)
}

// ask returns an error unless the server serves clients.
func ask(addr string) error {
	answer, err := word(addr, "srvr")
	if err == nil && !bytes.HasPrefix(answer, []byte("Zookeeper version")) {
		err = fmt.Errorf("to srvr it says %q", answer)
	}
	return err
}

// word is the server's answer to one of its words of four letters.
func word(addr, letters string) ([]byte, error) {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := c.Write([]byte(letters)); err != nil {
		return nil, err
	}
	answer, _ := io.ReadAll(c) // it may end in a reset
	return answer, nil
}
