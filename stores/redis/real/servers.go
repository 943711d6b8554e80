package real

import (
	"context"
	"errors"
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
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

// Store is Redis.
var Store confirm.Store = store{}

type store struct{}

// ID is that of the simulated store.
func (store) ID() string { return redis.Store.ID() }

const program = "redis-server"

var kind = realserver.Kind{
	Name:     "Redis",
	Missing:  func() string { return realserver.NotOnPath(program) },
	Packages: "redis-server",
}

// patience is how long a server has for what is asked of it.
const patience = 10 * time.Second

// servers are running servers.
type servers struct {
	dir   string
	nodes map[string]*node
	names []string
}

// node is one server. A follower reaches the node that serves through a link, which can be closed.
type node struct {
	name, dir, addr string
	process         *realserver.Process
	admin           *goredis.Client
	link            *link
}

// Start starts a server for each node. The first one serves, and the others follow it.
func (store) Start(_ cell.Cell, names []string) (confirm.Servers, error) {
	if missing := kind.Missing(); missing != "" {
		return nil, &realserver.MissingError{Kind: kind, Missing: missing}
	}
	dir, err := realserver.Directory()
	if err != nil {
		return nil, err
	}
	s := &servers{dir: dir, nodes: map[string]*node{}, names: names}
	if err := s.start(); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *servers) start() error {
	for i, name := range s.names {
		n := &node{name: name, dir: filepath.Join(s.dir, strconv.Itoa(i))}
		s.nodes[name] = n
		if err := os.Mkdir(n.dir, 0o700); err != nil {
			return err
		}
		if err := n.start(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if i == 0 {
			continue
		}
		l, err := newLink(s.nodes[s.names[0]].addr)
		if err != nil {
			return err
		}
		n.link = l
		if err := n.follow(l.listener.Addr().String()); err != nil {
			return err
		}
	}
	return s.Replicate(s.names[0])
}

// start starts the node's process and waits until it answers. A port that was free may be taken by somebody else,
// so that is tried a few times, but for a node that has its address.
func (n *node) start() (err error) {
	for range 5 {
		addr := n.addr
		if addr == "" {
			if addr, err = realserver.FreeAddr(); err != nil {
				return err
			}
		}
		_, port, _ := net.SplitHostPort(addr)
		socket := filepath.Join(n.dir, "s")
		n.admin = goredis.NewClient(&goredis.Options{Network: "unix", Addr: socket, Protocol: 2, MaxRetries: -1, ReadTimeout: patience})
		n.process, err = realserver.Run(n.dir, exec.Command(program,
			"--port", port, "--bind", "127.0.0.1", "--unixsocket", socket, "--dir", n.dir, "--save", "", "--appendonly", "no",
			"--daemonize", "no", "--repl-diskless-sync-delay", "0"), func() error { return n.admin.Ping(context.Background()).Err() })
		if err == nil {
			n.addr = addr
			return nil
		}
		_ = n.admin.Close()
	}
	return err
}

func (n *node) follow(addr string) error {
	host, port, _ := net.SplitHostPort(addr)
	if err := n.admin.SlaveOf(context.Background(), host, port).Err(); err != nil {
		return err
	}
	return eventually(func() error {
		info, err := n.admin.Info(context.Background(), "replication").Result()
		if err == nil && !strings.Contains(info, "master_link_status:up") {
			err = errors.New("its link is not up")
		}
		return err
	})
}

// eventually asks until there is no error.
func eventually(ask func() error) error {
	end := time.Now().Add(patience)
	for {
		err := ask()
		if err == nil || time.Now().After(end) {
			return err
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// Version is the server's.
func (s *servers) Version() string {
	for _, n := range s.nodes { // unordered: they are alike
		info, err := n.admin.Info(context.Background(), "server").Result()
		if _, rest, ok := strings.Cut(info, "redis_version:"); err == nil && ok {
			version, _, _ := strings.Cut(rest, "\r")
			return program + " " + version
		}
	}
	return program
}

// Address is that of a node.
func (s *servers) Address(node string) string { return s.nodes[node].addr }

// Records are the node's strings.
func (s *servers) Records(node string) (map[string]confirm.Record, error) {
	ctx, admin := context.Background(), s.nodes[node].admin
	keys, err := admin.Keys(ctx, "*").Result()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", node, err)
	}
	records := map[string]confirm.Record{}
	for _, key := range keys {
		value, err := admin.Get(ctx, key).Result()
		if errors.Is(err, goredis.Nil) {
			continue // it has just expired
		}
		if err != nil {
			return nil, fmt.Errorf("%s: the value of %s: %w", node, key, err)
		}
		ends, err := admin.Do(ctx, "pexpiretime", key).Int64()
		if err != nil {
			return nil, fmt.Errorf("%s: the end of %s: %w", node, key, err)
		}
		switch {
		case ends == -2:
			continue // it has just expired
		case ends < 0:
			records[key] = confirm.Record{Value: value}
		default:
			records[key] = confirm.Record{Value: value, Ends: time.UnixMilli(ends)}
		}
	}
	return records, nil
}

// Kill kills a node.
func (s *servers) Kill(node string) error {
	n := s.nodes[node]
	_ = n.admin.Close()
	n.process.Stop()
	return nil
}

// Restart starts a node again, which has kept nothing.
func (s *servers) Restart(node string) error { return s.nodes[node].start() }

// Promote makes a follower serve.
func (s *servers) Promote(node string) error {
	return s.nodes[node].admin.SlaveOf(context.Background(), "NO", "ONE").Err()
}

// Replicate opens the links of the followers until each has as much as the node.
func (s *servers) Replicate(node string) error {
	for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
		n := s.nodes[name]
		if name == node || n.link == nil {
			continue
		}
		n.link.held.Store(false)
		err := eventually(func() error {
			mine, err := s.Records(node)
			if err != nil {
				return err
			}
			its, err := s.Records(name)
			if err == nil && !maps.Equal(mine, its) {
				err = fmt.Errorf("%s does not have what %s has", name, node)
			}
			return err
		})
		n.link.held.Store(true)
		if err != nil {
			return err
		}
	}
	return nil
}

// Stop kills all nodes.
func (s *servers) Stop() {
	for _, n := range s.nodes { // unordered: each by itself
		if n.process != nil {
			_ = n.admin.Close()
			n.process.Stop()
		}
		if n.link != nil {
			n.link.held.Store(false) // so that its goroutine ends
			_ = n.link.listener.Close()
		}
	}
	_ = os.RemoveAll(s.dir)
}

// link carries what a node sends to its follower, or holds it. What the follower sends always goes.
type link struct {
	listener net.Listener
	held     atomic.Bool
}

func newLink(to string) (*link, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	k := &link{listener: l}
	go func() {
		for {
			follower, err := l.Accept()
			if err != nil {
				return
			}
			node, err := net.Dial("tcp", to)
			if err != nil {
				_ = follower.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(node, follower)
				_ = node.Close()
			}()
			go k.carry(node, follower)
		}
	}()
	return k, nil
}

// carry copies while the link is not held.
func (k *link) carry(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		for k.held.Load() {
			time.Sleep(time.Millisecond)
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}
