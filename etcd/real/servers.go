package real

import (
	"context"
	"errors"
	"fmt"
	"net"
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

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/real/confirm"
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
	// election is the members' election time-out, their default; it is shorter if leases are. The shortest lease is half as
	// long again as the time-out, in whole seconds, rounded up.
	election = time.Second
)

// servers are the members of a cluster.
type servers struct {
	confirm.SelfReplicating
	dir      string
	nodes    map[string]*node
	names    []string
	election time.Duration
	network  *network
	failing  bool // they may fail, and have proxies

	mu      sync.Mutex
	version string
	state   realserver.Ensemble
	ids     map[string]string         // the names, by the members' numbers
	keys    map[string]confirm.Record // that were read last
}

// node is one member.
type node struct {
	name, dir      string
	clients, peers string // where it listens
	proxy          *proxy // by which the others reach it, nil if they reach it directly
	process        *realserver.Process
	admin          *clientv3.Client
}

// reached is where the other members reach it.
func (n *node) reached() string {
	if n.proxy != nil {
		return n.proxy.addr
	}
	return n.peers
}

// Start starts a cluster with a member for each name, of which the first one leads. There is one cluster.
func (store) Start(clusters [][]string, jumps bool, lease time.Duration) (confirm.Servers, error) {
	if len(clusters) != 1 {
		return nil, &confirm.ForceError{Reason: "it has several clusters"}
	}
	if jumps {
		return nil, &confirm.ForceError{Reason: "the clock of a member jumps: etcd measures leases by the monotonic clock, which nobody can set, and is a static program, for which no library can be preloaded"}
	}
	return start(&servers{names: clusters[0], election: min(election, max(lease, shortest).Truncate(10*time.Millisecond))})
}

// StartMembers starts the members of a cluster that may fail. The election time-out is that of the simulated members, a
// tenth of a lease.
func (store) StartMembers(names, _ []string, ttl time.Duration) (confirm.Members, error) {
	return start(&servers{names: names, election: max(ttl/10, shortest).Truncate(10 * time.Millisecond), failing: true})
}

// shortest is the shortest election time-out.
const shortest = 200 * time.Millisecond

func start(s *servers) (*servers, error) {
	if missing := kind.Missing(); missing != "" {
		return nil, &realserver.MissingError{Kind: kind, Missing: missing}
	}
	var err error
	if s.dir, err = realserver.Directory(); err != nil {
		return nil, err
	}
	s.nodes, s.ids, s.network = map[string]*node{}, map[string]string{}, &network{}
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
		if s.failing {
			if n.proxy, err = s.network.proxy(name, n.peers, s.called); err != nil {
				return err
			}
		}
		s.nodes[name] = n
		if err := os.Mkdir(n.dir, 0o700); err != nil {
			return err
		}
	}
	var all sync.WaitGroup
	errs := make([]error, len(s.names))
	for i, name := range s.names {
		all.Go(func() { errs[i] = s.run(s.nodes[name], s.nodes[name].healthy) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, name := range s.names {
		var its *clientv3.StatusResponse
		err := realserver.Eventually(patience, func() (err error) {
			its, err = s.status(name)
			return err
		})
		if err != nil {
			return fmt.Errorf("the status of %s: %w", name, err)
		}
		s.mu.Lock()
		s.ids[strconv.FormatUint(its.Header.MemberId, 16)] = name
		s.mu.Unlock()
	}
	return s.lead(s.names[0])
}

// called is the name of the member with a number, empty if it is not known.
func (s *servers) called(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[id]
}

// run starts a member's process, on the data that it has, and waits until it is ready.
func (s *servers) run(n *node, ready func() error) error {
	var cluster []string
	for _, name := range s.names {
		cluster = append(cluster, name+"=http://"+s.nodes[name].reached())
	}
	milliseconds := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	var err error
	n.process, err = realserver.Run(n.dir, exec.Command(program,
		"--data-dir", filepath.Join(n.dir, "data"), "--name", n.name,
		"--listen-client-urls", "http://"+n.clients, "--advertise-client-urls", "http://"+n.clients,
		"--listen-peer-urls", "http://"+n.peers, "--initial-advertise-peer-urls", "http://"+n.reached(),
		"--initial-cluster", strings.Join(cluster, ","),
		"--heartbeat-interval", milliseconds(s.election/10), "--election-timeout", milliseconds(s.election), "--pre-vote"),
		ready)
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

// Version is that of the members.
func (s *servers) Version() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.names) > 1 {
		return fmt.Sprintf("%s %s (%d members)", program, s.version, len(s.names))
	}
	return program + " " + s.version
}

// Address is where a member listens to clients.
func (s *servers) Address(node string) string { return s.nodes[node].clients }

// Kill kills a member.
func (s *servers) Kill(node string) error {
	s.enter(s.now().With(node, true))
	s.nodes[node].process.Stop()
	return nil
}

// Restart starts a member again, with the data that it had. It serves at once if it hears a majority.
func (s *servers) Restart(node string) error {
	n := s.nodes[node]
	back := s.now().With(node, false)
	ready := n.healthy
	if !back.CanLead(s.names, node) {
		ready = n.listens
	}
	_ = n.admin.Close()
	if err := s.run(n, ready); err != nil {
		return err
	}
	s.mu.Lock()
	s.state = s.state.With(node, false)
	s.mu.Unlock()
	return nil
}

// listens returns an error unless something listens where clients reach the member.
func (n *node) listens() error {
	c, err := net.DialTimeout("tcp", n.clients, brief)
	if err == nil {
		_ = c.Close()
	}
	return err
}

// Hang stops a member's process, or resumes it.
func (s *servers) Hang(node string, on bool) error {
	if on {
		s.enter(s.now().With(node, true))
		return s.nodes[node].process.Hang(true)
	}
	s.mu.Lock()
	s.state = s.state.With(node, false)
	s.mu.Unlock()
	return s.nodes[node].process.Hang(false)
}

// Jump cannot set a clock.
func (*servers) Jump(string, time.Duration) error {
	return errors.New("nobody can set the clock of a member of etcd")
}

// Reset revokes all leases, and removes all keys.
func (s *servers) Reset() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	admin := s.nodes[s.names[0]].admin
	leases, err := admin.Leases(ctx)
	if err != nil {
		return err
	}
	for _, l := range leases.Leases {
		_, _ = admin.Revoke(ctx, l.ID) // it may have ended
	}
	_, err = admin.Delete(ctx, "", clientv3.WithFromKey())
	return err
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
		if n.proxy != nil {
			_ = n.proxy.server.Close()
		}
	}
	_ = os.RemoveAll(s.dir)
}
