package parts

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// ProcessVariable is set in a process of a client: its name, its lease and its servers.
const ProcessVariable = "LOCK_CLIENT"

// Process is a client in a process of its own, which can be stopped: this test binary, run again.
type Process struct {
	command *exec.Cmd
	mu      sync.Mutex
	in      io.Writer
	out     *bufio.Scanner
}

// NewProcess starts a client. Its test binary calls [ServeProcess] first.
func NewProcess(t testing.TB, name string, ttl time.Duration, addresses ...string) *Process {
	t.Helper()
	p := &Process{command: exec.Command(os.Args[0])}
	p.command.Env = append(os.Environ(), ProcessVariable+"="+strings.Join(append([]string{name, ttl.String()}, addresses...), " "))
	p.command.Stderr = os.Stderr
	in, err := p.command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in, p.out = in, bufio.NewScanner(out)
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.command.Process.Kill(); _ = p.command.Wait() })
	if err := p.call("hello"); err != nil {
		t.Fatal(err)
	}
	return p
}

// Stop stops the process, as a garbage collection or a suspended machine does.
func (p *Process) Stop(t testing.TB) { p.signal(t, syscall.SIGSTOP) }

// Continue lets it go on.
func (p *Process) Continue(t testing.TB) { p.signal(t, syscall.SIGCONT) }

func (p *Process) signal(t testing.TB, s os.Signal) {
	t.Helper()
	if err := p.command.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// call has the process do something, and waits for its answer.
func (p *Process) call(what string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := fmt.Fprintln(p.in, what); err != nil {
		return err
	}
	if !p.out.Scan() {
		return errors.New("the client's process has ended")
	}
	if text := p.out.Text(); text != "ok" {
		return errors.New(text)
	}
	return nil
}

// Acquire acquires the lock.
func (p *Process) Acquire(context.Context) (lock.Lease, error) {
	return ProcessLease{p}, p.call("acquire")
}

// TryAcquire acquires the lock if it is free.
func (p *Process) TryAcquire(context.Context) (lock.Lease, error) {
	return ProcessLease{p}, p.call("try")
}

// ProcessLease is what the process has acquired.
type ProcessLease struct{ of *Process }

// Release gives the lock up.
func (l ProcessLease) Release(context.Context) error { return l.of.call("release") }

// Extend makes the lease last for longer.
func (l ProcessLease) Extend(_ context.Context, ttl time.Duration) error {
	return l.of.call("extend " + ttl.String())
}

// ServeProcess serves as the process of a client, if this is one.
func ServeProcess(make func(*Client) lock.Locker) {
	words := strings.Fields(os.Getenv(ProcessVariable))
	if len(words) < 3 {
		return
	}
	ttl, _ := time.ParseDuration(words[1])
	client := &Client{name: words[0], ttl: ttl, addresses: words[2:]}
	locker := make(client)
	var held lock.Lease
	for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
		err := obey(locker, &held, orders.Text())
		text := "ok"
		if err != nil {
			text = strings.ReplaceAll(err.Error(), "\n", " ")
		}
		fmt.Println(text)
	}
	os.Exit(0)
}

func obey(locker lock.Locker, held *lock.Lease, order string) (err error) {
	ctx := context.Background()
	what, ttl, _ := strings.Cut(order, " ")
	switch what {
	case "acquire":
		*held, err = locker.Acquire(ctx)
	case "try":
		*held, err = locker.(lock.TryLocker).TryAcquire(ctx)
	case "release":
		err = (*held).Release(ctx)
	case "extend":
		d, _ := time.ParseDuration(ttl)
		err = (*held).(lock.Extender).Extend(ctx, d)
	}
	return err
}
