package parts

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

// ZooKeeperServer is the address of a ZooKeeper without the lock: $ZOOKEEPER_ADDR, 127.0.0.1:2181, or one of its own where Debian's
// package is installed.
func ZooKeeperServer(t testing.TB) string {
	t.Helper()
	address := os.Getenv("ZOOKEEPER_ADDR")
	if address == "" {
		address = "127.0.0.1:2181"
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
		} else {
			address = StartZooKeeper(t)
		}
	}
	conn := ZooKeeperSession(t, address)
	children, _, err := conn.Children("/" + LockName)
	if err != nil && !errors.Is(err, zk.ErrNoNode) {
		t.Fatal(err)
	}
	for _, child := range children {
		_ = conn.Delete("/"+LockName+"/"+child, -1)
	}
	return address
}

// StartZooKeeper starts a server.
func StartZooKeeper(t testing.TB) (address string) {
	t.Helper()
	const classes = "/usr/share/java/zookeeper.jar"
	if _, err := os.Stat(classes); err != nil {
		Missing(t, "there is no ZooKeeper at 127.0.0.1:2181, and ZOOKEEPER_ADDR names none")
	}
	address = FreeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	dir := t.TempDir()
	file := filepath.Join(dir, "zoo.cfg")
	config := fmt.Sprintf("dataDir=%s\nclientPortAddress=127.0.0.1\nclientPort=%s\ntickTime=500\npreAllocSize=64\nforceSync=no\nadmin.enableServer=false\n4lw.commands.whitelist=srvr\n", dir, port)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	server := exec.Command("java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classes, "org.apache.zookeeper.server.quorum.QuorumPeerMain", file)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	for end := time.Now().Add(patience); !zooKeeperServes(address); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no ZooKeeper serves at %s", address)
		}
	}
	return address
}

// zooKeeperServes reports whether a server serves clients: it listens before it does.
func zooKeeperServes(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := io.WriteString(conn, "srvr"); err != nil {
		return false
	}
	answer, err := io.ReadAll(conn)
	return err == nil && strings.HasPrefix(string(answer), "Zookeeper version")
}

// ZooKeeperSession is a session of the test's own.
func ZooKeeperSession(t testing.TB, address string) *zk.Conn {
	t.Helper()
	conn, _, err := zk.Connect([]string{address}, 10*time.Second, zk.WithLogger(log.New(io.Discard, "", 0)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// ZooKeeperRecord is what ZooKeeper has under the lock's name: znodes, empty if none.
func ZooKeeperRecord(t testing.TB, address string) string {
	t.Helper()
	children, _, err := ZooKeeperSession(t, address).Children("/" + LockName)
	if err != nil && !errors.Is(err, zk.ErrNoNode) {
		t.Fatal(err)
	}
	return strings.Join(children, " ")
}

// PassZooKeeper carries requests and answers.
func PassZooKeeper(n *Network, client, server net.Conn) {
	defer Cut(client, server)
	var rules sync.Map // by the numbers of requests
	go func() {
		defer Cut(client, server)
		for r, first := bufio.NewReader(client), true; ; first = false {
			frame, err := readFrame(r)
			if err != nil {
				return
			}
			if !first && len(frame) >= 12 {
				name := zooKeeperName(binary.BigEndian.Uint32(frame[8:]))
				held := n.of(func(word string) bool { return name == word })
				held.sent()
				if held != nil {
					rules.Store(binary.BigEndian.Uint32(frame[4:]), held)
				}
			}
			if _, err := server.Write(frame); err != nil {
				return
			}
		}
	}()
	for r, first := bufio.NewReader(server), true; ; first = false {
		frame, err := readFrame(r)
		if err != nil {
			return
		}
		if !first && len(frame) >= 8 {
			if held, ok := rules.LoadAndDelete(binary.BigEndian.Uint32(frame[4:])); ok && held.(*Rule).answered() {
				return
			}
		}
		if _, err := client.Write(frame); err != nil {
			return
		}
	}
}

// readFrame reads a frame with its length.
func readFrame(r io.Reader) ([]byte, error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head)
	if size > 16<<20 {
		return nil, io.ErrUnexpectedEOF
	}
	frame := make([]byte, 4+size)
	copy(frame, head)
	_, err := io.ReadFull(r, frame[4:])
	return frame, err
}

// zooKeeperName is a request's operation.
func zooKeeperName(code uint32) string {
	switch code {
	case 1, 15, 19, 20:
		return "create"
	case 2:
		return "delete"
	case 3:
		return "exists"
	case 4:
		return "get"
	case 8, 12:
		return "children"
	}
	return "other"
}

// ZooKeeperConnect opens a session of a client.
func ZooKeeperConnect(c *Client) (*zk.Conn, <-chan zk.Event) {
	conn, events, err := zk.Connect(c.Addresses(), c.TTL(), zk.WithLogger(log.New(io.Discard, "", 0)))
	if err != nil {
		panic(err) // there are no addresses
	}
	c.Cleanup(conn.Close)
	return conn, events
}
