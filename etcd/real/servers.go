package real

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/internal/realserver"
)

const program = "etcd"

var kind = realserver.Kind{
	Name:     "etcd",
	Missing:  func() string { return realserver.NotOnPath(program) },
	Packages: "etcd-server",
}

const (
	// patience is how long a server has for what is asked of it.
	patience = 10 * time.Second
	// election is the members' election time-out, their default. The shortest lease is half as long again, in whole
	// seconds, rounded up.
	election = time.Second
)

// servers are the members of a cluster.
type servers struct {
	dir     string
	nodes   map[string]*node
	names   []string
	version string
}

// node is one member.
type node struct {
	name, dir      string
	clients, peers string // where it listens
	process        *realserver.Process
	admin          *clientv3.Client
}

// Start starts a cluster with a member for each name, of which the first one leads. There is one cluster.
func (store) Start(clusters [][]string, jumps bool, _ time.Duration) (confirm.Servers, error) {
	if len(clusters) != 1 {
		return nil, &confirm.ForceError{Reason: "it has several clusters"}
	}
	names := clusters[0]
	if jumps {
		return nil, &confirm.ForceError{Reason: "the clock of a member jumps: etcd measures leases by the monotonic clock, which nobody can set, and is a static program, for which no library can be preloaded"}
	}
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

// start starts the members, which need each other to begin.
func (s *servers) start() error {
	for i, name := range s.names {
		n := &node{name: name, dir: filepath.Join(s.dir, strconv.Itoa(i))}
		var err error
		if n.clients, err = realserver.FreeAddr(); err != nil {
			return err
		}
		if n.peers, err = realserver.FreeAddr(); err != nil {
			return err
		}
		s.nodes[name] = n
		if err := os.Mkdir(n.dir, 0o700); err != nil {
			return err
		}
	}
	var all sync.WaitGroup
	errs := make([]error, len(s.names))
	for i, name := range s.names {
		all.Go(func() { errs[i] = s.run(s.nodes[name]) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return s.lead(s.names[0])
}

// run starts a member's process, on the data that it has, and waits until it serves.
func (s *servers) run(n *node) error {
	var cluster []string
	for _, name := range s.names {
		cluster = append(cluster, name+"=http://"+s.nodes[name].peers)
	}
	milliseconds := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	var err error
	n.process, err = realserver.Run(n.dir, exec.Command(program,
		"--data-dir", filepath.Join(n.dir, "data"), "--name", n.name,
		"--listen-client-urls", "http://"+n.clients, "--advertise-client-urls", "http://"+n.clients,
		"--listen-peer-urls", "http://"+n.peers, "--initial-advertise-peer-urls", "http://"+n.peers,
		"--initial-cluster", strings.Join(cluster, ","),
		"--heartbeat-interval", milliseconds(election/10), "--election-timeout", milliseconds(election)),
		n.healthy)
	if err != nil {
		return fmt.Errorf("%s: %w", n.name, err)
	}
	n.admin, err = clientv3.New(clientv3.Config{Endpoints: []string{n.clients}, DialTimeout: patience, Logger: zap.NewNop()})
	return err
}

// prober keeps no connection.
var prober = http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// healthy returns an error unless the member serves clients: it knows a leader.
func (n *node) healthy() error {
	r, err := prober.Get("http://" + n.clients + "/health")
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("its health is %s", r.Status)
	}
	return nil
}

// status is a member's own view of the cluster.
func (s *servers) status(name string) (*clientv3.StatusResponse, error) {
	n := s.nodes[name]
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return n.admin.Status(ctx, n.clients)
}

// lead makes a member the leader.
func (s *servers) lead(name string) error {
	return eventually(func() error {
		its, err := s.status(name)
		if err != nil {
			return err
		}
		s.version = its.Version
		if its.Leader == its.Header.MemberId {
			return nil
		}
		for _, other := range s.names {
			if at, err := s.status(other); err == nil && at.Leader == at.Header.MemberId {
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				defer cancel()
				_, err := s.nodes[other].admin.MoveLeader(ctx, its.Header.MemberId)
				return errors.Join(err, errors.New("it does not know yet that it leads"))
			}
		}
		return errors.New("nobody leads")
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

// Version is that of the members.
func (s *servers) Version() string {
	if len(s.names) > 1 {
		return fmt.Sprintf("%s %s (%d members)", program, s.version, len(s.names))
	}
	return program + " " + s.version
}

// Address is where a member listens to clients.
func (s *servers) Address(node string) string { return s.nodes[node].clients }

// Kill kills a member.
func (s *servers) Kill(node string) error {
	n := s.nodes[node]
	_ = n.admin.Close()
	n.process.Stop()
	return nil
}

// Restart starts a member again, with the data that it had.
func (s *servers) Restart(node string) error { return s.run(s.nodes[node]) }

// Hang stops a member's process, or lets it go on.
func (s *servers) Hang(node string, on bool) error { return s.nodes[node].process.Hang(on) }

// Promote and Follow do nothing: members elect their leader, and Replicate does nothing: they replicate by themselves.
func (*servers) Promote(string) error        { return nil }
func (*servers) Follow(string, string) error { return nil }
func (*servers) Replicate(string) error      { return nil }

// Refuses is false: there is one form of each request.
func (*servers) Refuses(string, []byte) (bool, error) { return false, nil }

// Jump cannot set a clock.
func (*servers) Jump(string, time.Duration) error {
	return errors.New("nobody can set the clock of a member of etcd")
}

// Stop kills all members.
func (s *servers) Stop() {
	for _, n := range s.nodes { // unordered: each by itself
		if n.admin != nil {
			_ = n.admin.Close()
		}
		if n.process != nil {
			_ = n.process.Hang(false) // it may have ended
			n.process.Stop()
		}
	}
	_ = os.RemoveAll(s.dir)
}
