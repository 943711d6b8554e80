package redis

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/lockpick-dev/lockpick/real/confirm"
)

// clockSource is a library that a process preloads. It adds the offset in a file, in nanoseconds, to the wall clock.
//
//go:embed preload/clock.c
var clockSource []byte

const (
	clockVariable = "LOCKPICK_CLOCK"
	clockFile     = "clock"
)

// makeClock compiles the library.
func makeClock(dir string) (library string, err error) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		return "", &confirm.ForceError{Reason: "the clock of a server jumps, and to set a process's clock takes a C compiler: cc is not on the PATH"}
	}
	source, library := filepath.Join(dir, "clock.c"), filepath.Join(dir, "clock.so")
	if err := os.WriteFile(source, clockSource, 0o600); err != nil {
		return "", err
	}
	if output, err := exec.Command(compiler, "-shared", "-fPIC", "-O2", "-o", library, source).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", compiler, err, output)
	}
	return library, nil
}

// setClock writes the offset of the node's clock.
func (n *node) setClock() error {
	if n.preload == "" {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(n.dir, clockFile), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(binary.NativeEndian.AppendUint64(nil, uint64(n.ahead)))
	return err
}
