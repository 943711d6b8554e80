package realserver

import (
	"os/exec"
	"syscall"
	"testing"
)

// TestOwnGroup: a terminal's Ctrl-C, which goes to the group of this process, does not reach a server, which would print its log.
func TestOwnGroup(t *testing.T) {
	c := exec.Command("sleep", "60")
	EndWithParent(c)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	group, err := syscall.Getpgid(c.Process.Pid)
	if err != nil || group != c.Process.Pid {
		t.Errorf("it is of the group %d, %v", group, err)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
}

// TestHang: a process of which all threads run stands still when Hang returns, and runs on after that.
func TestHang(t *testing.T) {
	c := exec.Command("sh", "-c", "while :; do :; done")
	EndWithParent(c)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	for range 20 {
		if err := Hang(c.Process, true); err != nil {
			t.Fatal(err)
		}
		if stands, err := standsStill(c.Process.Pid); err != nil || !stands {
			t.Fatalf("it stands still: %v, %v", stands, err)
		}
		if err := Hang(c.Process, false); err != nil {
			t.Fatal(err)
		}
	}
	if stands, err := standsStill(c.Process.Pid); err != nil || stands {
		t.Errorf("it stands still after it was let go on: %v, %v", stands, err)
	}
}
