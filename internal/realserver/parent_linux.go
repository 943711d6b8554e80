package realserver

import (
	"os/exec"
	"syscall"
)

// EndWithParent makes the command's process end when this one ends, in any way. Call it before the start.
func EndWithParent(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
