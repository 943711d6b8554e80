package realserver

import (
	"os/exec"
	"syscall"
)

// EndWithParent has the command's process killed when this one ends, however it does. Call it before the start.
func EndWithParent(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
