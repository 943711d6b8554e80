package realserver

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// stopping is the maximum time until all threads of a process are stopped.
const stopping = time.Second

// awaitStop waits until all threads of a process are stopped after SIGSTOP: the signal reaches a running thread later.
func awaitStop(p *os.Process) error {
	for end := time.Now().Add(stopping); ; {
		stands, err := standsStill(p.Pid)
		if err != nil || stands {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("process %d runs on for %v after SIGSTOP", p.Pid, stopping)
		}
		time.Sleep(20 * time.Microsecond)
	}
}

// standsStill reports whether all threads of a process are stopped, or have ended.
func standsStill(pid int) (bool, error) {
	threads, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat")
	if err != nil {
		return false, err
	}
	for _, path := range threads {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// The name of the program, in brackets, may have blanks. The state follows it.
		_, after, _ := bytes.Cut(stat, []byte(") "))
		if len(after) == 0 || !bytes.ContainsAny(after[:1], "TtZX") {
			return false, nil
		}
	}
	return true, nil
}
