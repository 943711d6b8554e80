package redis

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

// Store is Redis.
var Store confirm.Store = store{}

// New returns Store, for [confirm.Stores].
func New(confirm.Setup) confirm.Store { return Store }

type store struct{}

const program = "redis-server"

var kind = realserver.Kind{
	Name:     "Redis",
	Missing:  func() string { return realserver.NotOnPath(program) },
	Packages: "redis-server",
}

// patience is the maximum duration of a request to a server.
const patience = 10 * time.Second

// servers are running servers.
type servers struct {
	dir     string
	nodes   map[string]*node
	servers [][]string // the names of the nodes of each server
	preload string     // the library that sets a process's clock, empty without
}

// node is one server. A follower reaches the node that serves through a link, which can be closed.
type node struct {
	name, dir, addr string
	process         *realserver.Process
	admin           *goredis.Client
	link            *link
	preload         string
	ahead           time.Duration // of its clock
	keeps           bool          // its records, in a file, when it is killed
}

// Start starts a process for each node. The first node of each server serves, and the others follow it.
func (store) Start(list [][]string, jumps bool, _ time.Duration) (confirm.Servers, error) {
	if missing := kind.Missing(); missing != "" {
		return nil, &realserver.MissingError{Kind: kind, Missing: missing}
	}
	dir, err := realserver.Directory()
	if err != nil {
		return nil, err
	}
	s := &servers{dir: dir, nodes: map[string]*node{}, servers: list}
	if jumps {
		if s.preload, err = makeClock(dir); err != nil {
			s.Stop()
			return nil, err
		}
	}
	if err := s.start(); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *servers) start() error {
	for _, names := range s.servers {
		for i, name := range names {
			n := &node{name: name, dir: filepath.Join(s.dir, strconv.Itoa(len(s.nodes))), preload: s.preload}
			s.nodes[name] = n
			if err := os.Mkdir(n.dir, 0o700); err != nil {
				return err
			}
			if err := n.start(); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if i > 0 {
				if err := s.Follow(name, names[0]); err != nil {
					return err
				}
			}
		}
		if err := s.probe(s.nodes[names[0]]); err != nil {
			return err
		}
	}
	return nil
}

// probe makes the followers of a server's first node get a first key: a node sends a new follower nothing until that has
// acknowledged something, which takes up to a second.
func (s *servers) probe(first *node) error {
	ctx := context.Background()
	if err := first.admin.Set(ctx, "probe", 1, 0).Err(); err != nil {
		return err
	}
	if err := s.Replicate(first.name); err != nil {
		return err
	}
	if err := first.admin.Del(ctx, "probe").Err(); err != nil {
		return err
	}
	return s.Replicate(first.name)
}

// start starts the node's process and waits until it answers. Another process may take a port that was free, so start
// tries a few ports, unless the node already has its address.
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
		command := exec.Command(program,
			"--port", port, "--bind", "127.0.0.1", "--unixsocket", socket, "--dir", n.dir, "--save", "", "--appendonly", "no",
			"--daemonize", "no", "--repl-diskless-sync-delay", "0")
		if n.preload != "" {
			command.Env = append(os.Environ(), "LD_PRELOAD="+n.preload, clockVariable+"="+filepath.Join(n.dir, clockFile))
			if err := n.setClock(); err != nil {
				return err
			}
		}
		n.process, err = realserver.Run(n.dir, command, func() error { return n.admin.Ping(context.Background()).Err() })
		if err == nil {
			n.addr = addr
			return nil
		}
		_ = n.admin.Close()
	}
	return err
}

// Follow makes a node follow another, ends the connections of its clients, as Sentinel does, and returns when it has the
// other's records.
func (s *servers) Follow(name, other string) error {
	n := s.nodes[name]
	if n.link != nil {
		n.link.close()
	}
	var err error
	if n.link, err = newLink(s.nodes[other].addr); err != nil {
		return err
	}
	host, port, _ := net.SplitHostPort(n.link.listener.Addr().String())
	ctx := context.Background()
	if err := n.admin.SlaveOf(ctx, host, port).Err(); err != nil {
		return err
	}
	if err := n.admin.ClientKillByFilter(ctx, "TYPE", "normal", "SKIPME", "yes").Err(); err != nil {
		return err
	}
	return realserver.Eventually(patience, func() error {
		info, err := n.admin.Info(context.Background(), "replication").Result()
		if err == nil && !strings.Contains(info, "master_link_status:up") {
			err = errors.New("its link is not up")
		}
		return err
	})
}

// Version returns the server's version.
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

// Address returns the address of a node.
func (s *servers) Address(node string) string { return s.nodes[node].addr }

// Records returns the records of a node, at one time.
func (s *servers) Records(node string) (map[string]confirm.Record, error) {
	n := s.nodes[node]
	records, err := read(context.Background(), n.admin)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", node, err)
	}
	for key, r := range records { // unordered: each by itself
		if !r.Ends.IsZero() {
			r.Ends = r.Ends.Add(-n.ahead)
			records[key] = r
		}
	}
	return records, nil
}

// Refuses reports whether a node lacks the script that a request names, or the command that a script replaces.
func (s *servers) Refuses(node string, request []byte) (bool, error) {
	list, admin, ctx := words(request), s.nodes[node].admin, context.Background()
	if len(list) < 2 {
		return false, nil
	}
	switch strings.ToUpper(list[0]) {
	case "EVALSHA":
		there, err := admin.ScriptExists(ctx, list[1]).Result()
		return err == nil && !there[0], err
	case "CAD", "CAS", "DELEX", "DELIFEQ":
		about, err := admin.Do(ctx, "COMMAND", "INFO", list[0]).Slice()
		return err == nil && (len(about) == 0 || about[0] == nil), err
	}
	return false, nil
}

// Keep makes a node write its records to a file.
func (s *servers) Keep(node string) error {
	n := s.nodes[node]
	n.keeps = true
	return n.admin.Save(context.Background()).Err()
}

// Kill kills a node. Records that a follower has in a file from another are lost as well.
func (s *servers) Kill(node string) error {
	n := s.nodes[node]
	_ = n.admin.Close()
	n.process.Stop()
	if n.keeps {
		return nil
	}
	return n.forget()
}

// forget removes the node's file.
func (n *node) forget() error {
	n.keeps = false
	err := os.Remove(filepath.Join(n.dir, "dump.rdb"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// Restart starts a node again, with the records of Keep.
func (s *servers) Restart(node string) error {
	n := s.nodes[node]
	if err := n.start(); err != nil {
		return err
	}
	return n.forget()
}

// Hang stops a node's process, or lets it go on.
func (s *servers) Hang(node string, on bool) error { return s.nodes[node].process.Hang(on) }

// Jump sets a node's clock.
func (s *servers) Jump(node string, ahead time.Duration) error {
	n := s.nodes[node]
	n.ahead += ahead
	return n.setClock()
}

// Promote makes a follower serve.
func (s *servers) Promote(node string) error {
	return s.nodes[node].admin.SlaveOf(context.Background(), "NO", "ONE").Err()
}

// Replicate opens the links of the followers until each has the node's records.
func (s *servers) Replicate(node string) error {
	server := slices.IndexFunc(s.servers, func(names []string) bool { return slices.Contains(names, node) })
	for _, name := range s.servers[server] {
		n := s.nodes[name]
		if name == node || n.link == nil {
			continue
		}
		n.link.hold(false)
		err := realserver.Eventually(patience, func() error {
			mine, err := s.Records(node)
			if err != nil {
				return err
			}
			its, err := s.Records(name)
			if err == nil && !maps.EqualFunc(mine, its, confirm.Record.Equal) {
				err = fmt.Errorf("%s does not have what %s has", name, node)
			}
			return err
		})
		n.link.hold(true)
		if err != nil {
			return err
		}
	}
	return nil
}

// Reset ends all connections, and removes all keys and scripts.
func (s *servers) Reset() error {
	ctx := context.Background()
	for _, n := range s.nodes { // unordered: each by itself
		if err := n.admin.ClientKillByFilter(ctx, "TYPE", "normal", "SKIPME", "yes").Err(); err != nil {
			return err
		}
		if err := errors.Join(n.admin.FlushAll(ctx).Err(), n.admin.ScriptFlush(ctx).Err()); err != nil {
			return err
		}
	}
	return nil
}

// Stop kills all nodes.
func (s *servers) Stop() {
	for _, n := range s.nodes { // unordered: each by itself
		if n.process != nil {
			_ = n.process.Hang(false) // it may have ended
			_ = n.admin.Close()
			n.process.Stop()
		}
		if n.link != nil {
			n.link.close()
		}
	}
	_ = os.RemoveAll(s.dir)
}
