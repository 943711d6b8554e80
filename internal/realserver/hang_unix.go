//go:build unix

package realserver

import (
	"os"
	"syscall"
)

// Hang stops a process, as SIGSTOP does, or lets it go on.
func Hang(p *os.Process, on bool) error {
	if on {
		return p.Signal(syscall.SIGSTOP)
	}
	return p.Signal(syscall.SIGCONT)
}
