package simkube

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/internal/test/realetcd"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/storetest/fidelity"
)

// apiServer names the variable that has the path of a real API server: the program of the module kube/realkube.
const apiServer = "LOCKPICK_APISERVER"

// startReal starts an etcd and an API server, and returns the API server's URL.
func startReal(t *testing.T) string {
	t.Helper()
	program := os.Getenv(apiServer)
	if program == "" {
		t.Skipf("SKIPPED, NOT PASSED: nothing was compared with a real API server; make kube-fidelity builds one (some minutes, the first time), and sets %s to its path", apiServer)
	}
	etcd := realetcd.Start(t, time.Second)
	addr, err := realserver.FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + addr
	server, err := realserver.Run(t.TempDir(), exec.Command(program, "http://"+etcd.Addr, addr), func() error {
		a, err := http.Get(url + prefix + "leases")
		if err == nil {
			_ = a.Body.Close()
			if a.StatusCode != http.StatusOK {
				err = fmt.Errorf("its answer is %s", a.Status)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return url
}

// onReal plays a script on a real server.
func onReal(url, namespace string, script []command) []string {
	sure := &http.Client{Transport: &http.Transport{}}
	defer sure.CloseIdleConnections()
	return newPlayer(sure, url, namespace).play(script)
}

// onSimulated plays a script in a world, on one of several servers.
func onSimulated(servers int, namespace string, script []command) []string {
	return fidelity.InWorld(func(w *sim.World, lines *[]string) {
		c := New(w, Options{Servers: servers}, func(model.Observation) {})
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return p.DialContext(ctx, network, c.Addresses()[servers-1], 0)
		}}}
		w.OnEnd(client.CloseIdleConnections)
		p.Go(func() { *lines = newPlayer(client, "http://kubernetes", namespace).play(script) })
	})
}

// difference is where two plays differ, with the lines of the command before it, or "".
func difference(got, want []string) string {
	return fidelity.Difference(got, want, func(line string) bool { return strings.HasPrefix(line, "  ") })
}

// stage is a real server on which scripts are played, each in a namespace of its own.
type stage struct {
	url      string
	plays    int
	messages int
}

// compare plays a script on the real server and on simulated ones, and returns where they differ, or "".
func (s *stage) compare(script []command) (differs string) {
	s.plays++
	namespace := fmt.Sprintf("n%06d", s.plays)
	real := onReal(s.url, namespace, script)
	for _, servers := range []int{1, 3} {
		if d := difference(onSimulated(servers, namespace, script), real); d != "" {
			differs = fmt.Sprintf("%d servers:\n%s", servers, d)
		}
	}
	s.messages += answers(real)
	return differs
}

// answers is the number of answers and events in the lines of a play.
func answers(lines []string) (n int) {
	for _, line := range lines {
		if strings.HasPrefix(line, "  ") {
			n++
		}
	}
	return n
}

// TestFidelity plays random scripts on a real server and on simulated ones, and compares what the clients get.
func TestFidelity(t *testing.T) {
	s := stage{url: startReal(t)}
	fidelity.Check(t, func(rt *rapid.T) string { return s.compare(drawScript(rt)) })
	t.Logf("%d answers and events compared", s.messages)
}

// TestFidelityOfErrors compares the answers to requests of which a script draws few.
func TestFidelityOfErrors(t *testing.T) {
	s := stage{url: startReal(t)}
	for _, c := range errorRequests {
		if d := s.compare([]command{c}); d != "" {
			t.Error(d)
		}
	}
	t.Logf("%d answers and events compared", s.messages)
}
