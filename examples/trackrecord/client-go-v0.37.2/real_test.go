package clientgo_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	api "k8s.io/api/coordination/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// TestReleaseOnARealServer: a leader that is cancelled releases the Lease of its successor, on a real API server. The successor is a
// write of this test, as a candidate makes it when the leader has been stopped for longer than its Lease.
func TestReleaseOnARealServer(t *testing.T) {
	leases := serve(t).Leases("default")
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  meta.ObjectMeta{Namespace: "default", Name: "leader"},
		Client:     serving{leases},
		LockConfig: resourcelock.ResourceLockConfig{Identity: "a"},
	}
	leads := make(chan struct{})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 60 * time.Second, RenewDeadline: 50 * time.Second, RetryPeriod: 30 * time.Second, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { close(leads) }, OnStoppedLeading: func() {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	go func() { defer close(ended); elector.Run(ctx) }()
	<-leads

	// It renews its Lease at once, and then half a minute later.
	var lease *api.Lease
	await(t, "the leader renews its Lease", func(ctx context.Context) (done bool, err error) {
		lease, err = leases.Get(ctx, "leader", meta.GetOptions{})
		return err == nil && lease.Spec.AcquireTime.Before(lease.Spec.RenewTime), err
	})
	successor, now := "b", meta.NowMicro()
	lease.Spec.HolderIdentity, lease.Spec.AcquireTime, lease.Spec.RenewTime = &successor, &now, &now
	*lease.Spec.LeaseTransitions++
	if _, err := leases.Update(t.Context(), lease, meta.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}

	cancel()
	<-ended
	if lease, err = leases.Get(t.Context(), "leader", meta.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	if holder := *lease.Spec.HolderIdentity; holder == successor {
		t.Error("the Lease is still the successor's: the fault is repaired, and docs/reports/client-go-v0.37.2.md is out of date")
	}
}

// serving makes a getter of Leases of an interface for one namespace.
type serving struct{ leases coordination.LeaseInterface }

func (s serving) Leases(string) coordination.LeaseInterface { return s.leases }

// serve starts an etcd and the API server that LOCKPICK_APISERVER names.
func serve(t *testing.T) *coordination.CoordinationV1Client {
	program := os.Getenv("LOCKPICK_APISERVER")
	if program == "" {
		t.Skip("LOCKPICK_APISERVER does not name an API server; make kube-fidelity builds one and runs this test")
	}
	etcd, err := exec.LookPath("etcd")
	if err != nil {
		t.Fatalf("it needs etcd (apt-get install etcd-server): %v", err)
	}
	client, peer, api := address(t), address(t), address(t)
	start(t, etcd, "--data-dir", filepath.Join(t.TempDir(), "etcd"), "--listen-client-urls", "http://"+client, "--advertise-client-urls", "http://"+client,
		"--listen-peer-urls", "http://"+peer, "--initial-advertise-peer-urls", "http://"+peer, "--initial-cluster", "default=http://"+peer)
	start(t, program, "http://"+client, api)
	c, err := coordination.NewForConfig(&rest.Config{Host: "http://" + api})
	if err != nil {
		t.Fatal(err)
	}
	await(t, "the API server answers", func(ctx context.Context) (bool, error) {
		_, err := c.Leases("default").List(ctx, meta.ListOptions{})
		return err == nil, nil
	})
	return c
}

// await waits for something, at most a minute.
func await(t *testing.T, what string, happened wait.ConditionWithContextFunc) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, time.Minute, true, happened); err != nil {
		t.Fatalf("until %s: %v", what, err)
	}
}

// start starts a process that ends with the test, and prints what it says if the test fails.
func start(t *testing.T, program string, args ...string) {
	var said bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s:\n%s", program, &said)
		}
	})
}

// address returns a free one.
func address(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
