package explore

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

// startAlike starts a program with fixed values for the 16 random bytes that the kernel gives each program. The Go
// runtime derives its hash key from them, so the order of large maps and the hashes of hash/maphash repeat. It sets
// them by ptrace, between the exec and the first instruction. If ptrace is forbidden, the program starts as usual.
func startAlike(cmd *exec.Cmd) error {
	if !mayTrace() {
		return cmd.Start()
	}
	return startTraced(cmd, func(pid int) { _ = setRandom(pid) }) // without it, a difference is reported
}

// mayTrace reports whether this process may trace those that it starts. It tries to, with another process of this
// program, and kills it before its first instruction.
var mayTrace = sync.OnceValue(func() bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	right := false
	cmd := exec.Command(self)
	err = startTraced(cmd, func(pid int) {
		right = setRandom(pid) == nil
		_ = syscall.Kill(pid, syscall.SIGKILL)
	})
	_ = cmd.Wait() // it was killed
	return err == nil && right
})

// startTraced starts a program and calls stopped before its first instruction.
func startTraced(cmd *exec.Cmd, stopped func(pid int)) error {
	runtime.LockOSThread() // a process is traced by one thread
	defer runtime.UnlockOSThread()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Ptrace = true
	if err := cmd.Start(); err != nil {
		return err
	}
	pid := cmd.Process.Pid
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err == nil && status.Stopped():
			stopped(pid)
			_ = syscall.PtraceDetach(pid) // fails if it was killed
			return nil
		}
		_ = cmd.Process.Kill()
		return fmt.Errorf("the program did not stop at its start: %v, %w", status, cmp.Or(err, errors.ErrUnsupported))
	}
}

// randomOfAuxv is AT_RANDOM, the type of the auxiliary vector's entry with the address
// of the 16 bytes.
const randomOfAuxv = 25

// setRandom sets the 16 bytes of a process that is stopped at its start.
func setRandom(pid int) error {
	auxv, err := os.ReadFile(fmt.Sprintf("/proc/%d/auxv", pid))
	if err != nil {
		return err
	}
	const word = int(unsafe.Sizeof(uintptr(0)))
	number := func(b []byte) uint64 {
		if word == 4 {
			return uint64(binary.NativeEndian.Uint32(b))
		}
		return binary.NativeEndian.Uint64(b)
	}
	for ; len(auxv) >= 2*word; auxv = auxv[2*word:] {
		if number(auxv) == randomOfAuxv {
			_, err = syscall.PtracePokeData(pid, uintptr(number(auxv[word:])), []byte("lockpick repeats"))
			return err
		}
	}
	return errors.New("the program has no random bytes")
}
