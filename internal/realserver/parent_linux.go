package realserver

import (
	"os/exec"
	"syscall"
)

// EndWithParent makes the command's process end when this one ends, in any way, and not at a terminal's Ctrl-C. Call it before the start.
func EndWithParent(c *exec.Cmd) {
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Pdeathsig, c.SysProcAttr.Setpgid = syscall.SIGKILL, true
}
