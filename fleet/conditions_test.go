package fleet

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	natsd "github.com/nats-io/nats-server/v2/server"

	"github.com/lockpick-dev/lockpick/fleet/internal/queue"
	"github.com/lockpick-dev/lockpick/internal/command"
)

// refusedWith tests that an error is one of who asked, and says what it should.
func refusedWith(t *testing.T, err error, says ...string) {
	t.Helper()
	var usage command.Usage
	if !errors.As(err, &usage) {
		t.Errorf("%v is no refusal", err)
		return
	}
	for _, text := range says {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q does not say %q", err, text)
		}
	}
}

// TestWithoutJetStream: a server of NATS without JetStream is told, with what to start.
func TestWithoutJetStream(t *testing.T) {
	plain, err := natsd.NewServer(&natsd.Options{Host: "127.0.0.1", Port: natsd.RANDOM_PORT, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	plain.Start()
	defer func() { plain.Shutdown(); plain.WaitForShutdown() }()
	if !plain.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server does not start")
	}
	f, access := &fake{blocks: 4, version: "1"}, accessFlags{Name: "fleet"}
	serve := server(t, t.TempDir(), "")
	serve.NATS = plain.ClientURL()
	worker := &workCmd{NATS: plain.ClientURL(), Jobs: 1, accessFlags: access}
	for _, err := range []error{serve.Run(limited(t), f), worker.Run(limited(t), f)} {
		refusedWith(t, err, "has no JetStream", "nats-server -js", "leave out --nats")
	}
	status := &statusCmd{NATS: plain.ClientURL(), accessFlags: access}
	refusedWith(t, status.Run(limited(t), f), "no simrun fleet serve answers")
	if f.searched != nil || f.concluded != nil {
		t.Errorf("searched %v", f.searched)
	}
}

// TestToken: who has another secret is told so, and the search is none the worse; nor is it if the secret changes while a
// worker searches.
func TestToken(t *testing.T) {
	dir, address := t.TempDir(), free(t)
	held, open := make(chan struct{}), make(chan struct{})
	f := &fake{blocks: 4, version: "1", run: func(ctx context.Context, b int) error {
		if b == 0 {
			close(held)
			select {
			case <-open:
			case <-ctx.Done():
			}
		}
		return ctx.Err()
	}}
	serving := func(ctx context.Context, token string, f *fake) chan error {
		result := make(chan error, 1)
		c := server(t, dir, address)
		c.Token = token
		go func() { result <- c.Run(ctx, f) }()
		until(func() bool { return askedAs(queue.Access{URL: "nats://" + address, Token: token}) != nil })
		return result
	}
	worker := func(token string, f *fake) error {
		c := &workCmd{NATS: "nats://" + address, Jobs: 1, Patience: time.Minute, AnyBuild: true, accessFlags: accessFlags{Name: "fleet", Token: token}}
		return c.Run(limited(t), f)
	}
	ctx, stop := context.WithCancel(limited(t))
	first := serving(ctx, "one", f)
	for _, token := range []string{"", "another"} {
		refusedWith(t, worker(token, f), "refuses the connection", "SIMRUN_FLEET_TOKEN")
		status := &statusCmd{NATS: "nats://" + address, accessFlags: accessFlags{Name: "fleet", Token: token}}
		refusedWith(t, status.Run(limited(t), f), "refuses the connection", "SIMRUN_FLEET_TOKEN")
	}
	ended := make(chan error, 1)
	go func() { ended <- worker("one", f) }()
	<-held
	stop()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the first server ended with %v", err)
	}
	again := &fake{blocks: 4, version: "1"}
	second := serving(limited(t), "two", again)
	refusedWith(t, <-ended, "refuses the connection", "SIMRUN_FLEET_TOKEN")
	close(open)
	if err := errors.Join(worker("two", again), <-second); err != nil {
		t.Fatal(err)
	}
	checkState(t, again, 4)
}

// oneMachine is what simrun run prints and writes.
func oneMachine(t *testing.T, search []string) (dir string, p *process) {
	t.Helper()
	dir = t.TempDir()
	p = start(t, dir, append(append([]string{"run"}, search...), "--stable", "--out", "result")...)
	p.code(t)
	return dir, p
}

// sameResult compares the end of a search with that of one machine.
func sameResult(t *testing.T, served, one *process, aloneDir string, dirs ...string) {
	t.Helper()
	if code, want := served.code(t), one.code(t); code != want {
		t.Errorf("exit code %d, on one machine %d\n%s", code, want, served.err.String())
	}
	if got, want := served.out.String(), one.out.String(); got != want {
		t.Errorf("it printed\n%s\nand on one machine\n%s", got, want)
	}
	for _, dir := range dirs {
		sameTrees(t, filepath.Join(aloneDir, "result"), dir)
	}
}

// TestFullDisk: a worker whose bucket is full says so once, keeps what it has searched, and goes on when there is room; a server whose directory of results is
// full says so, and makes them of the bucket when there is room; one whose queue has no room says where to make it.
func TestFullDisk(t *testing.T) {
	dir, address := t.TempDir(), free(t)
	search := []string{"two-step-release", "--lock", "setpx-twostep", "--runs", "4000", "--seed", "3"}
	alone, one := oneMachine(t, search)
	serve := func(variables ...string) *process {
		args := append(append([]string{"fleet", "serve"}, search...), "--stable", "--out", "result", "--bucket", "bucket", "--listen", address, "--store", "queue", "--piece", "2")
		return startAs(t, dir, append(variables, asSimrun+"=1"), args...)
	}
	begun := serve()
	reached(t, begun, "the bucket has the search", address, func(*Status) bool { return true })
	begun.kill()
	if err := os.RemoveAll(filepath.Join(dir, "queue")); err != nil {
		t.Fatal(err)
	}
	first := serve(fullAt + "=100")
	first.code(t)
	if said := first.err.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "--store") || !strings.Contains(said, "make room") {
		t.Errorf("a queue without room: %s", said)
	}
	second := serve()
	reached(t, second, "the server answers", address, func(*Status) bool { return true })
	worker := startAs(t, dir, []string{asSimrun + "=1", fullAt + "=300"}, "fleet", "work", "--nats", "nats://"+address, "--jobs", "2")
	until(func() bool { return strings.Contains(worker.err.String(), "cannot be written") })
	reached(t, second, "the worker has shown its pieces", address, func(s *Status) bool { return s.Out == 2 && s.Done == 0 })
	worker.signal(syscall.SIGUSR1)
	if code := worker.code(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	sameResult(t, second, one, alone, filepath.Join(dir, "result"), filepath.Join(dir, "bucket", "result"))
	if said := worker.err.String() + second.err.String(); strings.Count(said, "cannot be written") != 1 || strings.Contains(said, "meanwhile") || strings.Contains(said, "no use") {
		t.Errorf("said %s", said)
	}

	for _, name := range []string{"result", "bucket/result"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	third := serve(fullAt + "=300")
	if code := third.code(t); code != 5 || !strings.Contains(third.err.String(), "the same command makes the result of it") {
		t.Errorf("exit code %d: %s", code, third.err.String())
	}
	sameResult(t, serve(), one, alone, filepath.Join(dir, "result"), filepath.Join(dir, "bucket", "result"))
}
