package explore

import (
	"os"
	"syscall"
)

// redirect redirects standard error, and standard output if output is set, to a file, for every way of printing. Usual
// is the standard error until then; restore undoes the redirection.
func redirect(to *os.File, output bool) (usual *os.File, restore func(), err error) {
	kept := map[int]int{}
	restore = func() {
		for fd, old := range kept { // unordered: each is another descriptor
			_ = syscall.Dup3(old, fd, 0)
			_ = syscall.Close(old)
		}
	}
	fds := []int{2}
	if output {
		fds = append(fds, 1)
	}
	for _, fd := range fds {
		old, err := keep(fd)
		if err == nil {
			kept[fd] = old
			err = syscall.Dup3(int(to.Fd()), fd, 0)
		}
		if err != nil {
			restore()
			return nil, nil, err
		}
	}
	old, err := keep(kept[2])
	if err != nil {
		restore()
		return nil, nil, err
	}
	return os.NewFile(uintptr(old), "standard error"), restore, nil
}

// keep returns a duplicate of a descriptor that child processes do not inherit.
func keep(fd int) (int, error) {
	r, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, 10)
	if errno != 0 {
		return 0, errno
	}
	return int(r), nil
}
