//go:build unix

package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/filelocks"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simfile"
	"github.com/lockpick-dev/lockpick/storetest/fidelity"
)

// shared is what scripts use of a file system.
type shared interface {
	filelocks.Files
	Lock(ctx context.Context, name, owner string) (<-chan struct{}, error)
	Unlock(ctx context.Context, name, owner string) error
}

// local is a directory of this machine with flock(2), as one client has it.
type local struct {
	filelocks.Dir
	held []flocked
}

// flocked is a file that an owner has locked.
type flocked struct {
	name, owner string
	file        *os.File
}

func (l *local) Lock(_ context.Context, name, owner string) (<-chan struct{}, error) {
	f, err := os.OpenFile(filepath.Join(string(l.Dir), name), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for _, h := range l.held {
		if h.name == name && h.owner == owner && same(h.file, f) {
			return nil, f.Close()
		}
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(lock.ErrNotAcquired, f.Close())
	}
	l.held = append(l.held, flocked{name, owner, f})
	return nil, err
}

func same(a, b *os.File) bool {
	x, err := a.Stat()
	y, other := b.Stat()
	return err == nil && other == nil && os.SameFile(x, y)
}

func (l *local) Unlock(_ context.Context, name, owner string) error {
	for i, h := range l.held {
		if h.name == name && h.owner == owner {
			l.held = append(l.held[:i:i], l.held[i+1:]...)
			return errors.Join(syscall.Flock(int(h.file.Fd()), syscall.LOCK_UN), h.file.Close())
		}
	}
	return lock.ErrNotHeld
}

// command is one operation of a script.
type command struct {
	client         int
	op             string
	name, to, text string
}

var operations = []string{"create", "read", "write", "remove", "rename", "modified", "lock", "unlock"}

func drawScript(rt *rapid.T, clients int) (script []command) {
	names, texts := []string{"a", "b"}, []string{"", "one", "two\n"}
	for range rapid.IntRange(1, 40).Draw(rt, "length") {
		script = append(script, command{
			rapid.IntRange(0, clients-1).Draw(rt, "client"), rapid.SampledFrom(operations).Draw(rt, "op"),
			rapid.SampledFrom(names).Draw(rt, "name"), rapid.SampledFrom(names).Draw(rt, "to"), rapid.SampledFrom(texts).Draw(rt, "text"),
		})
	}
	return script
}

// play carries out a script, and returns a line for each command.
func play(script []command, clients []shared) (lines []string) {
	ctx := context.Background()
	for _, c := range script {
		on, told := clients[c.client], ""
		var err error
		switch owner := "owner" + c.text; c.op {
		case "create":
			err = on.Create(ctx, c.name, c.text)
		case "read":
			told, err = on.Read(ctx, c.name)
		case "write":
			err = on.Write(ctx, c.name, c.text)
		case "remove":
			err = on.Remove(ctx, c.name)
		case "rename":
			err = on.Rename(ctx, c.name, c.to)
		case "modified":
			_, err = on.Modified(ctx, c.name)
		case "lock":
			_, err = on.Lock(ctx, c.name, owner)
		case "unlock":
			err = on.Unlock(ctx, c.name, owner)
		}
		lines = append(lines, fmt.Sprintf("%d: %s %s %s %q: %q %s", c.client, c.op, c.name, c.to, c.text, told, outcome(err)))
	}
	return lines
}

// outcome is an error in a word.
func outcome(err error) string {
	for _, known := range []error{fs.ErrExist, fs.ErrNotExist, lock.ErrNotAcquired, lock.ErrNotHeld} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return fmt.Sprint(err)
}

// onLocal plays a script in a directory of this machine.
func onLocal(t *testing.T, script []command, clients int) []string {
	dir := t.TempDir()
	var list []shared
	for range clients {
		l := &local{Dir: filelocks.Dir(dir)}
		list = append(list, l)
		defer func() {
			for _, h := range l.held {
				_ = h.file.Close()
			}
		}()
	}
	return play(script, list)
}

// onSimulated plays a script on a simulated server.
func onSimulated(script []command, clients int) []string {
	return fidelity.InWorld(func(w *sim.World, lines *[]string) {
		s := simfile.New(w, simfile.Options{Lease: time.Hour}, func(model.Observation) {})
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			var list []shared
			for range clients {
				c := newClient("c1", p.Clock(), func(ctx context.Context) (net.Conn, error) {
					return p.DialContext(ctx, "tcp", s.Address(), 0)
				})
				defer c.Close()
				list = append(list, c)
			}
			*lines = play(script, list)
		})
	})
}

// TestFidelity plays random scripts in a directory of this machine, by O_EXCL and flock(2), and on a simulated server,
// and compares what the clients are told line by line.
func TestFidelity(t *testing.T) {
	fidelity.Check(t, func(rt *rapid.T) string {
		clients := rapid.IntRange(1, 3).Draw(rt, "clients")
		script := drawScript(rt, clients)
		return fidelity.Difference(onSimulated(script, clients), onLocal(t, script, clients), func(string) bool { return false })
	})
}

// TestFidelityTells: a script whose outcomes are known, so that the comparison is about something.
func TestFidelityTells(t *testing.T) {
	script := []command{
		{0, "create", "a", "", "one"}, {1, "create", "a", "", "two"}, {1, "read", "a", "", ""},
		{0, "lock", "a", "", "x"}, {1, "lock", "a", "", "x"}, {1, "rename", "a", "b", ""}, {1, "lock", "b", "", "x"},
		{1, "lock", "a", "", "x"}, {0, "unlock", "a", "", "x"}, {0, "unlock", "a", "", "x"}, {1, "lock", "b", "", "x"},
	}
	var got []string
	for _, line := range onLocal(t, script, 2) {
		got = append(got, line[strings.LastIndex(line, "\" ")+2:])
	}
	want := "<nil>,file already exists,<nil>,<nil>,lock: not acquired,<nil>,lock: not acquired,<nil>,<nil>,lock: not held,<nil>"
	if strings.Join(got, ",") != want {
		t.Errorf("%s\nwant\n%s", strings.Join(got, ","), want)
	}
	if d := fidelity.Difference(onSimulated(script, 2), onLocal(t, script, 2), func(string) bool { return false }); d != "" {
		t.Error(d)
	}
}
