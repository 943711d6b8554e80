package realserver

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// tick is the unit in which Linux reports processor time.
const tick = 10 * time.Millisecond

// CPU returns the processor time that the server has used until now, to a hundredth of a second. It
// needs Linux.
func (p *Process) CPU() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The name of the program, in brackets, may have blanks. Fields 14 and 15 are user and
	// system time.
	_, after, _ := bytes.Cut(stat, []byte(") "))
	fields := bytes.Fields(after)
	var ticks int
	for _, i := range []int{14 - 3, 15 - 3} {
		if i >= len(fields) {
			return 0, fmt.Errorf("its status is %q", stat)
		}
		n, err := strconv.Atoi(string(fields[i]))
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}
