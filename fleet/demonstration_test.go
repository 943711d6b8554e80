package fleet

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/fleet/internal/queue"
	"github.com/lockpick-dev/lockpick/internal/test/trees"
)

// process is simrun in a process of its own.
type process struct {
	cmd      *exec.Cmd
	out, err safeBuffer
	ended    chan struct{}
}

type safeBuffer struct {
	mutex sync.Mutex
	b     bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.b.String()
}

// start starts it in a directory, in a group of its own.
func start(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	return startAs(t, dir, []string{asSimrun + "=1"}, args...)
}

// startAs starts it with variables.
func startAs(t *testing.T, dir string, variables []string, args ...string) *process {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(program, args...), ended: make(chan struct{})}
	p.cmd.Dir = dir
	p.cmd.Env = append(os.Environ(), variables...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = p.cmd.Wait(); close(p.ended) }()
	t.Cleanup(func() { p.signal(syscall.SIGCONT); p.signal(syscall.SIGKILL); <-p.ended })
	return p
}

func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

func (p *process) kill() { p.signal(syscall.SIGKILL); <-p.ended }

// code waits for the exit code.
func (p *process) code(t *testing.T) int {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(5 * time.Minute):
		t.Fatalf("%q does not end\n%s", p.cmd.Args[1:], p.err.String())
	}
	return p.cmd.ProcessState.ExitCode()
}

// asked is what a fleet's server says of its search, nil if it does not answer.
func asked(address string) *Status { return askedAs(queue.Access{URL: "nats://" + address}) }

func askedAs(a queue.Access) *Status {
	nc, err := queue.Connect(a, "test")
	if err != nil {
		return nil
	}
	defer nc.Close()
	var s Status
	if queue.Ask(context.Background(), nc, "fleet", &s) != nil {
		return nil
	}
	return &s
}

// reached waits until the server says what is wanted.
func reached(t *testing.T, server *process, what, address string, is func(*Status) bool) {
	t.Helper()
	var last *Status
	for begin := time.Now(); time.Since(begin) < 2*time.Minute; time.Sleep(100 * time.Millisecond) {
		if s := asked(address); s != nil {
			if last = s; is(s) {
				return
			}
		}
		select {
		case <-server.ended:
			t.Fatalf("the server has ended before that: %s\n%s", what, server.err.String())
		default:
		}
	}
	t.Fatalf("it does not come to that: %s; the last status is %+v, and the server said\n%s", what, last, server.err.String())
}

// schedules is the number of schedules of the demonstration. LOCKPICK_FLEET names a larger one.
func schedules(t *testing.T) string {
	t.Helper()
	if n := os.Getenv("LOCKPICK_FLEET"); n != "" {
		if _, err := strconv.Atoi(n); err != nil {
			t.Fatalf("LOCKPICK_FLEET=%s: want a number of schedules", n)
		}
		return n
	}
	return "12000"
}

// TestDemonstration: eight workers, of which three are killed and one is paused for longer than its lease and goes on then; and the server
// is killed twice, and comes back once with its queue and once from the bucket alone. The files and the output are those of
// one machine.
func TestDemonstration(t *testing.T) {
	dir, address := t.TempDir(), free(t)
	search := []string{"two-step-release", "--lock", "setpx-twostep", "--runs", schedules(t), "--seed", "3"}
	result := []string{"--stable", "--out", "result"}
	alone := filepath.Join(dir, "alone")
	if err := os.Mkdir(alone, 0o777); err != nil {
		t.Fatal(err)
	}
	one := start(t, alone, append(append([]string{"run"}, search...), result...)...)
	oneCode := one.code(t)

	serve := func() *process {
		args := append(append([]string{"fleet", "serve"}, search...), result...)
		return start(t, dir, append(args, "--bucket", "bucket", "--listen", address, "--store", "queue", "--lease", "1s", "--tries", "9", "--piece", "1")...)
	}
	first := serve()
	reached(t, first, "the server answers", address, func(*Status) bool { return true })
	workers := make([]*process, 8)
	for i := range workers {
		workers[i] = start(t, dir, "fleet", "work", "--nats", "nats://"+address, "--jobs", "1")
	}
	reached(t, first, "workers have pieces", address, func(s *Status) bool { return s.Out >= len(workers) })
	paused, block := workers[3], 0
	reached(t, first, "a worker has shown its piece", address, func(s *Status) bool {
		for _, w := range s.Workers {
			if strings.HasSuffix(w.Name, fmt.Sprintf("-%d", paused.cmd.Process.Pid)) && len(w.Pieces) > 0 {
				block = w.Pieces[0]
				paused.signal(syscall.SIGSTOP)
				return true
			}
		}
		return false
	})
	lease := time.Now().Add(2 * time.Second) // twice
	workers[0].kill()
	reached(t, first, "a result is kept", address, func(s *Status) bool { return s.Done >= 1 })
	workers[1].kill()
	first.kill()
	second := serve()
	reached(t, second, "the server is back", address, func(s *Status) bool { return s.Done >= 2 })
	workers[2].kill()
	second.kill()
	if err := os.RemoveAll(filepath.Join(dir, "queue")); err != nil {
		t.Fatal(err)
	}
	third := serve()
	until(func() bool { return len(glob(t, dir, block)) > 0 }) // if the worker had finished that piece, it has another, and comes late for that
	time.Sleep(time.Until(lease))
	paused.signal(syscall.SIGCONT)

	if code := third.code(t); code != oneCode {
		t.Errorf("exit code %d, on one machine %d\n%s", code, oneCode, third.err.String())
	}
	for i, w := range workers[3:] {
		if code := w.code(t); code != 0 {
			t.Errorf("worker %d: exit code %d\n%s", 3+i, code, w.err.String())
		}
	}
	if got, want := third.out.String(), one.out.String(); got != want {
		t.Errorf("it printed\n%s\nand on one machine\n%s", got, want)
	}
	sameTrees(t, filepath.Join(alone, "result"), filepath.Join(dir, "result"))
	sameTrees(t, filepath.Join(alone, "result"), filepath.Join(dir, "bucket", "result"))
	if !strings.Contains(paused.err.String(), "meanwhile, with the same result") {
		t.Errorf("the worker that was paused was not late: it said\n%s", paused.err.String())
	}
	t.Logf("the server said\n%sthe paused worker said\n%s", third.err.String(), paused.err.String())
}

// sameTrees compares two directories, byte by byte.
func sameTrees(t *testing.T, want, got string) {
	t.Helper()
	one, two := trees.Files(t, want), trees.Files(t, got)
	if len(one) < 2 {
		t.Errorf("there are only %d files in %s", len(one), want)
	}
	for name, text := range one { // unordered: each by itself
		other, there := two[name]
		switch {
		case !there:
			t.Errorf("%s lacks %s", got, name)
		case text != other:
			i := 0
			for i < min(len(text), len(other)) && text[i] == other[i] {
				i++
			}
			t.Errorf("%s differs from byte %d on: %q, want %q", filepath.Join(got, name), i, clip(other, i), clip(text, i))
		}
	}
	for name := range two { // unordered: as above
		if _, there := one[name]; !there {
			t.Errorf("%s has %s besides", got, name)
		}
	}
}

func clip(s string, at int) string { return fmt.Sprint(s[max(at-40, 0):min(at+80, len(s))]) }
