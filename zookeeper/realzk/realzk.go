package realzk

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

const (
	program = "java"
	// classes is ZooKeeper in Debian's package; its manifest names the rest.
	classes = "/usr/share/java/zookeeper.jar"
)

// Kind is ZooKeeper.
var Kind = realserver.Kind{Name: "ZooKeeper", Missing: missing, Packages: "zookeeper default-jre-headless"}

// missing is the Missing function of [Kind].
func missing() string {
	if _, err := os.Stat(classes); err != nil {
		return "there is no " + classes
	}
	return realserver.NotOnPath(program)
}

// Run starts a server with the given tick that listens at the address, and returns when it answers. Its data are
// in the directory: those of an earlier server, or new ones. Sessions may last from two ticks to a minute.
func Run(dir, addr string, tick time.Duration) (*realserver.Process, error) {
	return run(dir, addr, tick, "", func() error { return ask(addr) })
}

// Member is the configuration of a server of an ensemble.
type Member struct {
	// ID is its number, from 1. If votes are equal, the highest one wins.
	ID int
	// Servers has all members, by number, each with two addresses, host and port: the one for followers of a
	// leader, and the one for votes. Both have the same host. A member listens at its own.
	Servers map[int][2]string
}

// A follower and its leader tolerate [SyncTicks] without each other, as in the simulation, and have initTicks to begin,
// since a Java program is slow at first.
const (
	SyncTicks = 5
	initTicks = 50
)

// RunMember is [Run] for a member of an ensemble. It returns when the server listens; the server serves clients only
// once it has a leader.
func RunMember(dir, addr string, tick time.Duration, m Member) (*realserver.Process, error) {
	data := filepath.Join(dir, "data")
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(data, "myid"), []byte(strconv.Itoa(m.ID)), 0o600); err != nil {
		return nil, err
	}
	lines := fmt.Sprintf("initLimit=%d\nsyncLimit=%d\n", initTicks, SyncTicks)
	for _, id := range slices.Sorted(maps.Keys(m.Servers)) {
		leads, votes := m.Servers[id][0], m.Servers[id][1]
		_, port, err := net.SplitHostPort(votes)
		if err != nil {
			return nil, err
		}
		lines += fmt.Sprintf("server.%d=%s:%s\n", id, leads, port)
	}
	return run(dir, addr, tick, lines, func() error {
		_, err := Word(addr, "srvr")
		return err
	})
}

// run starts a server with further lines in its configuration, and waits until it is ready.
func run(dir, addr string, tick time.Duration, lines string, ready func() error) (*realserver.Process, error) {
	file, err := configure(dir, addr, tick, lines)
	if err != nil {
		return nil, err
	}
	return realserver.Run(dir, exec.Command(program,
		"-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", // little memory, soon ready, no files
		"-Dzookeeper.fastleader.maxNotificationInterval=500", // milliseconds; a minute otherwise
		"-cp", classes, "org.apache.zookeeper.server.quorum.QuorumPeerMain", file), ready)
}

// configure writes the server's configuration.
func configure(dir, addr string, tick time.Duration, lines string) (file string, err error) {
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
%s`, filepath.Join(dir, "data"), host, port, tick.Milliseconds(), 2*tick.Milliseconds(), lines), 0o600)
}

// ask returns an error unless the server serves clients.
func ask(addr string) error {
	_, err := Version(addr)
	return err
}

// Version returns the version of the server at an address, such as "3.8.0".
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

// Leads reports whether the server at an address leads an ensemble, or is a single server. It returns false for a
// member without a leader.
func Leads(addr string) bool {
	answer, _ := Word(addr, "srvr") // a server that does not answer does not lead
	return bytes.Contains(answer, []byte("\nMode: leader\n")) || bytes.Contains(answer, []byte("\nMode: standalone\n"))
}

// Word returns the answer of the server at an address to a four-letter word, srvr or mntr.
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
