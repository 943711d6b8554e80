//go:build unix

package attach

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes a command's process and its children a group: a command may be a script that starts the client.
func ownGroup(c *exec.Cmd) {
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Setpgid = true
}

// signalGroup stops a group, or lets it go on. Its processes may have ended.
func signalGroup(p *os.Process, stop bool) {
	signal := syscall.SIGCONT
	if stop {
		signal = syscall.SIGSTOP
	}
	_ = syscall.Kill(-p.Pid, signal)
}

// killGroup kills a group. Its processes may have ended.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
