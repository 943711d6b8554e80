//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package simrun

import (
	"os"
	"syscall"
	"unsafe"
)

// columns returns the width of a terminal in characters, 0 if it is unknown.
func columns(f *os.File) int {
	var size struct{ rows, columns, x, y uint16 }
	if _, _, err := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size))); err != 0 {
		return 0
	}
	return int(size.columns)
}
