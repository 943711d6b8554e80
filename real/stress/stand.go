package stress

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/internal/gate"
)

// Target is what is stressed.
type Target struct {
	// Cell has the lock, the number of clients and of servers, and the length of leases. Its scenario does not matter.
	Cell cell.Cell
	// Store has the real servers.
	Store confirm.Store
	// Program is the program of client processes: it calls [realclient.Serve].
	Program realclient.Program
	// Wait is how long a client may wait for the lock when no fault acts any more, 0 for the usual time.
	Wait time.Duration
}

// wait returns how long one of a number of threads may wait: the lease of a dead holder, the time-out of a client library and its
// repetition, and the turns of the others, whose holds may be longer than a lease.
func (t *Target) wait(threads int) time.Duration {
	if t.Wait > 0 {
		return t.Wait
	}
	return 2*t.lease() + 3*t.Cell.Lock.Store.Timing().Usual + time.Duration(threads)*t.lease()*8/5
}

func (t *Target) lease() time.Duration { return t.Cell.Params.LeaseAsked() }

// Stand is servers and client processes that run.
type Stand struct {
	*Target
	nodes   [][]string // of each server, the serving one first
	servers confirm.Servers
	seats   seats
	gates   []*gate.Gate
	procs   []*process
	passes  chan gate.Passage
	heard   chan heard
	orders  int // numbers of orders, which processes keep
	links   []*link
	conns   int
	fallen  []string // nodes that were killed in a round
	// unextended is set once a process has said that its lease cannot be extended.
	unextended bool
	stays      bool // its server cannot be restarted
	tries      bool // the lock can be tried without waiting
}

// Start starts the servers and the processes. The caller calls Stop.
func (t *Target) Start() (*Stand, error) {
	if t.Cell.Judging().Spec.Kind != "" && t.Cell.Judging().Spec.Kind != model.KindMutex {
		return nil, errors.New("stress: the lock is no mutex: that is not supported")
	}
	s := &Stand{Target: t, passes: make(chan gate.Passage, 64), heard: make(chan heard, 64)}
	for _, names := range t.Cell.Lock.Store.Lanes(t.Cell.Params) {
		if _, is := t.Store.(confirm.Ensemble); is {
			names = names[:1] // one member is all of them: none fails
		}
		s.nodes = append(s.nodes, slices.Clone(names))
	}
	servers, err := t.Store.Start(s.nodes, false, t.lease())
	if err != nil {
		return nil, err
	}
	s.servers = servers
	if err := s.start(); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// start starts the gates and the processes.
func (s *Stand) start() error {
	for _, names := range s.nodes {
		s.seats.names = append(s.seats.names, names[0])
		if err := s.servers.Replicate(names[0]); err != nil {
			return err
		}
	}
	for i := range s.Cell.Params.Clients {
		name := nameOf(i)
		for server := range s.nodes {
			g, err := gate.New(name, s.Store.Converse, func() (node, address string, reaches bool) {
				node, up := s.seats.of(name, server)
				if node == "" || !up {
					return "", "", true // refused
				}
				return node, s.servers.Address(node), true
			}, s.passes)
			if err != nil {
				return err
			}
			s.gates = append(s.gates, g)
		}
		s.procs = append(s.procs, nil)
		if err := s.startProcess(i); err != nil {
			return err
		}
	}
	return s.probe(context.Background())
}

// nameOf returns the name of the i-th client.
func nameOf(i int) string { return fmt.Sprintf("c%d", i+1) }

// ender is the client whose contexts end when a call returns.
const ender = 3

// startProcess starts the i-th process. Meanwhile its requests pass.
func (s *Stand) startProcess(i int) error {
	per := len(s.nodes)
	o := realclient.Outfit{Cell: s.Cell.Encode(), Name: nameOf(i), Seed: uint64(i + 1), Ending: i == ender}
	for _, g := range s.gates[i*per : (i+1)*per] {
		o.Addresses = append(o.Addresses, g.Address())
	}
	type started struct {
		*process
		err error
	}
	done := make(chan started, 1)
	go func() {
		p, err := startProcess(s.Program, o, s.heard)
		done <- started{p, err}
	}()
	r := s.quiet()
	for {
		select {
		case got := <-done:
			s.procs[i] = got.process
			return got.err
		case p := <-s.passes:
			r.note(p)
			if err := r.passAll(); err != nil {
				return err
			}
		}
	}
}

// repair replaces the processes and nodes that the last round has killed.
func (s *Stand) repair() error {
	for i, p := range s.procs {
		if p == nil || p.dead {
			if p != nil {
				p.stop()
			}
			if err := s.startProcess(i); err != nil {
				return err
			}
		}
	}
	for _, node := range s.fallen {
		if err := s.servers.Restart(node); err != nil {
			return err
		}
		server := s.serverOf(node)
		if err := s.servers.Follow(node, s.nodes[server][0]); err != nil {
			return err
		}
		if err := s.servers.Replicate(s.nodes[server][0]); err != nil {
			return err
		}
	}
	s.fallen = nil
	return nil
}

// serverOf returns the server of a node.
func (s *Stand) serverOf(node string) int {
	return slices.IndexFunc(s.nodes, func(names []string) bool { return slices.Contains(names, node) })
}

// place returns the owner of a node's records.
func (s *Stand) place(node string) string {
	if e, is := s.Store.(confirm.Ensemble); is {
		return e.Authority()
	}
	return node
}

// Version is that of the servers.
func (s *Stand) Version() string { return s.servers.Version() }

// Stop ends everything.
func (s *Stand) Stop() {
	for _, p := range s.procs {
		if p != nil {
			p.stop()
		}
	}
	for _, g := range s.gates {
		g.Close()
	}
	s.servers.Stop()
}

// drift is by how much the end of a lease may be off: a report travels through a pipe.
const drift = 20 * time.Millisecond

// Judge judges one property of a round.
func (s *Stand) Judge(r *Round, property string) []model.Verdict {
	o := s.Cell.Judging()
	o.ProgressBound, o.Drift, o.Servers = r.wait, drift, r.nodes
	o.CancelBound = max(o.CancelBound, 50*time.Millisecond)
	return checker.Check(&r.History, o, property)
}

// seats has the serving node of each server, and the clients whose network is down. Gates read it.
type seats struct {
	mu    sync.Mutex
	names []string
	down  map[string]bool
}

func (s *seats) of(client string, server int) (node string, up bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[server], !s.down[client]
}

func (s *seats) set(server int, node string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[server] = node
}

func (s *seats) setDown(client string, down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down == nil {
		s.down = map[string]bool{}
	}
	s.down[client] = down
}

func (s *seats) serves(node string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.names, node)
}
