package real

import (
	"syscall"
	"time"
	"unsafe"
)

// monotonic is the time of the monotonic clock, from which Java counts; 0 if it is not known.
func monotonic() time.Duration {
	const clockMonotonic = 1
	var t syscall.Timespec
	if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&t)), 0); err != 0 {
		return 0
	}
	return time.Duration(t.Nano())
}
