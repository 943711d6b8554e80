package realserver

import (
	"os/exec"
	"testing"
)

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
