package realzk

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

const (
	program = "java"
	// classes is where Debian's package has ZooKeeper; its manifest names the rest.
	classes = "/usr/share/java/zookeeper.jar"
)

// Kind is ZooKeeper.
var Kind = realserver.Kind{Name: "ZooKeeper", Missing: missing, Packages: "zookeeper default-jre-headless"}

// missing is a [realserver.Kind]'s.
func missing() string {
	if _, err := os.Stat(classes); err != nil {
		return "there is no " + classes
	}
	return realserver.NotOnPath(program)
}

// Run starts a server that listens at the address, with a tick, and returns when it answers. Its data are in the
// directory: those that it has left there, or new ones. Sessions may last from two ticks to a minute.
func Run(dir, addr string, tick time.Duration) (*realserver.Process, error) {
	file, err := configure(dir, addr, tick)
	if err != nil {
		return nil, err
	}
	return realserver.Run(dir, exec.Command(program,
		"-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", // little memory, soon ready, no files
		"-cp", classes, "org.apache.zookeeper.server.quorum.QuorumPeerMain", file),
		func() error { return ask(addr) })
}

// configure writes the server's configuration.
func configure(dir, addr string, tick time.Duration) (file string, err error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
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
	_, err := Version(addr)
	return err
}

// Version is that of the server at an address, such as "3.8.0".
func Version(addr string) (string, error) {
	answer, err := Word(addr, "srvr")
	if err != nil {
		return "", err
	}
	rest, is := bytes.CutPrefix(answer, []byte("Zookeeper version: "))
	if !is {
		return "", fmt.Errorf("to srvr it says %q", answer)
	}
	version, _, _ := strings.Cut(string(rest), "-")
	version, _, _ = strings.Cut(version, ",")
	return version, nil
}

// Word is the answer of the server at an address to one of its words of four letters, srvr or mntr.
func Word(addr, letters string) ([]byte, error) {
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
