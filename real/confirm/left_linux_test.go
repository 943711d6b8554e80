package confirm_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// driving is set in a process that makes tries until it is killed: this test binary again.
const driving = "LOCKPICK_TEST_DRIVES"

// TestDrives is that process.
func TestDrives(t *testing.T) {
	if os.Getenv(driving) == "" {
		t.Skip("it is run by TestNothingIsLeft")
	}
	tr := read(t, "gc-pause_setpx_no-lost-update")
	c := confirmation(t, tr, tr.Lock)
	for {
		if _, err := c.Try(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNothingIsLeft: a driver that is killed, while a client is stopped, leaves no process; its directory goes with the
// next program's. Until then nothing has listened beyond the loopback interface.
func TestNothingIsLeft(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		driver := exec.Command(os.Args[0], "-test.run=^TestDrives$")
		driver.Env = append(os.Environ(), driving+"=1")
		realserver.EndWithParent(driver)
		if err := driver.Start(); err != nil {
			t.Fatal(err)
		}
		children := untilStopped(t, driver.Process.Pid)
		if len(children) < 3 { // a server and two clients
			t.Errorf("it has %v", children)
		}
		for pid := range children { // unordered: each by itself
			loopback(t, pid)
		}
		loopback(t, driver.Process.Pid)
		_ = driver.Process.Signal(signal)
		_ = driver.Wait()                 // it is killed
		for pid, name := range children { // unordered: each by itself
			gone(t, pid, name)
		}
	}
	dir, err := realserver.Directory()
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"/dev/shm", os.TempDir()} {
		list, _ := filepath.Glob(filepath.Join(name, "lockpick-server*", "0", "s")) // sockets of servers
		for _, socket := range list {
			if where := filepath.Dir(filepath.Dir(socket)); unused(where) {
				t.Errorf("%s is left", where)
			}
		}
	}
}

// unused reports whether nobody has the file of a server's directory locked.
func unused(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, ".alive"), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// untilStopped waits until a child of a process is stopped, and returns all of them.
func untilStopped(t *testing.T, parent int) map[int]string {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		children, stopped := map[int]string{}, false
		stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well-formed
		for _, file := range stats {
			pid, name, state, of := stat(file)
			if of == parent {
				children[pid] = name
				stopped = stopped || state == "T"
			}
		}
		if stopped {
			return children
		}
	}
	t.Fatal("no client is stopped")
	return nil
}

// stat is a process, by the file of its status.
func stat(file string) (pid int, name, state string, parent int) {
	text, _ := os.ReadFile(file) // it may have ended
	head, tail, ok := strings.Cut(string(text), ") ")
	fields := strings.Fields(tail)
	if !ok || len(fields) < 2 {
		return 0, "", "", 0
	}
	id, name, _ := strings.Cut(head, " (")
	pid, _ = strconv.Atoi(id)
	parent, _ = strconv.Atoi(fields[1])
	return pid, name, fields[0], parent
}

// loopback fails for a socket of a process that listens beyond the loopback interface.
func loopback(t *testing.T, pid int) {
	t.Helper()
	mine := map[string]bool{}
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // the pattern is well-formed
	for _, file := range files {
		if to, err := os.Readlink(file); err == nil && strings.HasPrefix(to, "socket:[") {
			mine[strings.Trim(to, "socket:[]")] = true
		}
	}
	for _, table := range []string{"tcp", "tcp6"} {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table)) // it may have ended
		for _, line := range strings.Split(string(text), "\n") {
			f := strings.Fields(line)
			const listens = "0A"
			if len(f) > 9 && f[3] == listens && mine[f[9]] && !strings.HasPrefix(f[1], "0100007F:") {
				t.Errorf("process %d listens at %s", pid, f[1])
			}
		}
	}
}

// gone fails for a process that does not end.
func gone(t *testing.T, pid int, name string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, now, state, _ := stat(fmt.Sprintf("/proc/%d/stat", pid)); now != name || state == "Z" {
			return
		}
	}
	t.Errorf("%s (process %d) is left", name, pid)
}
