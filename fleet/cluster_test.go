package fleet

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/lockpick-dev/lockpick/fleet/internal/queue"
)

// cluster is servers of NATS in processes of their own.
type cluster struct {
	servers []*process
	urls    []string
}

// startCluster starts so many servers, which know each other, and waits until they have a leader.
func startCluster(t *testing.T, n int) *cluster {
	t.Helper()
	c := &cluster{}
	clients, routes := make([]string, n), make([]string, n)
	for i := range n {
		clients[i], routes[i] = free(t), free(t)
		c.urls = append(c.urls, "nats://"+clients[i])
	}
	for i := range n {
		host, port, _ := strings.Cut(clients[i], ":")
		c.servers = append(c.servers, startAs(t, t.TempDir(), []string{asNATS + "=1"}, "-a", host, "-p", port, "-n", fmt.Sprintf("n%d", i), "-js", "-sd", "store",
			"--cluster_name", "test", "--cluster", "nats://"+routes[i], "--routes", "nats://"+strings.Join(routes, ",nats://")))
	}
	ready := func() bool {
		nc, err := nats.Connect(strings.Join(c.urls, ","))
		if err != nil {
			return false
		}
		defer nc.Close()
		js, err := jetstream.New(nc)
		if err != nil {
			return false
		}
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
		defer stop()
		_, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "ready", Subjects: []string{"ready"}, Replicas: n})
		return err == nil
	}
	until(ready)
	if !ready() {
		t.Fatalf("the cluster has no leader: %s", c.servers[0].err.String())
	}
	return c
}

// leader is the number of the server that leads the queue of a fleet, with how many copies it has.
func (c *cluster) leader(t *testing.T) (n, copies int) {
	t.Helper()
	nc, err := nats.Connect(strings.Join(c.urls, ","))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "simrun-fleet")
	if err != nil {
		t.Fatal(err)
	}
	info := stream.CachedInfo()
	if _, err := fmt.Sscanf(info.Cluster.Leader, "n%d", &n); err != nil {
		t.Fatal(info.Cluster.Leader, err)
	}
	return n, info.Config.Replicas
}

// TestCluster: a cluster of three servers keeps the queue three times. The server that leads it is killed in mid-search and stays away, and the
// result is that of one machine.
func TestCluster(t *testing.T) {
	dir := t.TempDir()
	search := []string{"two-step-release", "--lock", "setpx-twostep", "--runs", "8000", "--seed", "3"}
	alone, one := oneMachine(t, search)
	c := startCluster(t, 3)
	urls := strings.Join(c.urls, ",")
	served := start(t, dir, append(append([]string{"fleet", "serve"}, search...), "--stable", "--out", "result", "--bucket", "bucket", "--nats", urls, "--piece", "1", "--lease", "5s")...)
	asks := func() *Status { return askedAs(queue.Access{URL: urls}) }
	until(func() bool { return asks() != nil })
	var workers []*process
	for range 2 {
		workers = append(workers, start(t, dir, "fleet", "work", "--nats", urls, "--jobs", "1"))
	}
	until(func() bool { s := asks(); return s != nil && s.Done > 0 })
	if s := asks(); s == nil || s.Done == 0 || s.Done == s.Pieces {
		t.Fatalf("it is not in mid-search: %+v\n%s", s, served.err.String())
	}
	leader, copies := c.leader(t)
	if copies != 3 {
		t.Errorf("the queue is kept on %d servers", copies)
	}
	c.servers[leader].kill()
	sameResult(t, served, one, alone, filepath.Join(dir, "result"), filepath.Join(dir, "bucket", "result"))
	for _, w := range workers {
		if code := w.code(t); code != 0 {
			t.Errorf("exit code %d: %s", code, w.err.String())
		}
	}
	t.Logf("the server said\n%sa worker said\n%s", served.err.String(), workers[0].err.String())
}

// TestSmallCluster: a cluster of two keeps the queue once, and that is said.
func TestSmallCluster(t *testing.T) {
	c := startCluster(t, 2)
	f := &fake{blocks: 4, version: "1"}
	serve := server(t, t.TempDir(), "")
	serve.NATS = strings.Join(c.urls, ",")
	end := work(limited(t), t, f, strings.TrimPrefix(serve.NATS, "nats://"), 1)
	if err := serve.Run(limited(t), f); err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	checkState(t, f, 4)
	if said := f.said(); strings.Count(said, "on one server only") != 1 {
		t.Errorf("said %s", said)
	}
}
