// Package leases is a store of leases for production: its protocol, a server, a client and two locks. It knows nothing
// of simulation.
package leases

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The operations. A request and its answer are a line each.
const (
	Take = "TAKE" // name holder milliseconds: "OK token", or "BUSY" if another holder has the lease
	Free = "FREE" // name holder: "OK", or "NO" if the holder does not have it
	Drop = "DROP" // name: "OK" whoever has it, or "NO" if nobody has
	Show = "SHOW" // name: "OK holder", or "NO"

	NotLeader = "NOT" // the answer of a server that does not serve: the client asks another
)

// Request is a parsed request.
type Request struct {
	Op, Name, Holder string
	Length           time.Duration
}

// Parse parses a line.
func Parse(line string) (r Request, err error) {
	words := strings.Fields(line)
	want := map[string]int{Take: 4, Free: 3, Drop: 2, Show: 2}
	if len(words) == 0 || want[words[0]] != len(words) {
		return r, fmt.Errorf("leases: %q is no request", line)
	}
	r.Op, r.Name = words[0], words[1]
	if len(words) > 2 {
		r.Holder = words[2]
	}
	if len(words) > 3 {
		ms, err := strconv.Atoi(words[3])
		if err != nil || ms <= 0 {
			return r, fmt.Errorf("leases: %q is no length of a lease", words[3])
		}
		r.Length = time.Duration(ms) * time.Millisecond
	}
	return r, nil
}
