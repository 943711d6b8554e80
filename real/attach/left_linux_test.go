package attach_test

import (
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
	"github.com/lockpick-dev/lockpick/real/attach"
)

// attaching is set in a process that makes runs until it is killed: this test binary again.
const attaching = "LOCKPICK_TEST_ATTACHES"

// TestAttaches is that process.
func TestAttaches(t *testing.T) {
	if os.Getenv(attaching) == "" {
		t.Skip("it is run by TestNothingIsLeft")
	}
	plan, err := attach.ParsePlan([]string{"c1 hold 1: stop client until gone"})
	for err == nil {
		_, err = target(t, "").Run(t.Context(), attach.Turns, plan)
	}
	t.Fatal(err)
}

// TestNothingIsLeft: a search that is killed while a client is stopped leaves no process.
func TestNothingIsLeft(t *testing.T) {
	realredis.Need(t)
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		search := exec.Command(os.Args[0], "-test.run=^TestAttaches$")
		search.Env = append(os.Environ(), attaching+"=1")
		realserver.EndWithParent(search)
		if err := search.Start(); err != nil {
			t.Fatal(err)
		}
		children := untilStopped(t, search.Process.Pid)
		if len(children) < 3 { // a server and two clients
			t.Errorf("it has %v", children)
		}
		_ = search.Process.Signal(signal)
		_ = search.Wait()                 // it is killed
		for pid, name := range children { // unordered: each by itself
			gone(t, pid, name)
		}
	}
	// The directories of servers go with the next program's.
	dir, err := realserver.Directory()
	if err != nil {
		t.Fatal(err)
	}
	_ = os.RemoveAll(dir)
}

// Processes that are no children of this one, and that a signal has stopped, report nothing to it: /proc has their state, so that
// both functions below look there again and again.

// untilStopped waits until a child of a process is stopped, and returns all of them.
func untilStopped(t *testing.T, parent int) map[int]string {
	t.Helper()
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
