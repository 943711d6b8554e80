//go:build unix

package realserver

import (
	"os"
	"syscall"
)

// Hang stops a process, as SIGSTOP does, or lets it go on. On Linux it returns when all threads of the process are
// stopped.
func Hang(p *os.Process, on bool) error {
	if on {
		if err := p.Signal(syscall.SIGSTOP); err != nil {
			return err
		}
		return awaitStop(p)
	}
	return p.Signal(syscall.SIGCONT)
}
