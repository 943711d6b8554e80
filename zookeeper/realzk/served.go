package realzk

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Served returns the number of packets that the server has received from clients since it
// started: requests, pings, and this query itself.
func (s *Server) Served() (int, error) {
	answer, err := Word(s.Addr, "mntr")
	if err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(bytes.NewReader(answer))
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "zk_packets_received\t"); ok {
			return strconv.Atoi(text)
		}
	}
	return 0, fmt.Errorf("to mntr it says %q", answer)
}
