package realetcd

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// received is a line of the server's metrics: how many messages of a method it has received.
var received = regexp.MustCompile(`^grpc_server_msg_received_total\{grpc_method="(\w+)",.*\} (\S+)$`)

// Served returns the number of requests of each method, such as Range, that the server has received since it started. Each
// message on a stream, such as LeaseKeepAlive, is one.
func (s *Server) Served() (map[string]int, error) {
	r, err := client.Get("http://" + s.Addr + "/metrics")
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	return messages(r.Body)
}

// messages reads metrics.
func messages(text io.Reader) (map[string]int, error) {
	served := map[string]int{}
	known := false
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		m := received.FindStringSubmatch(strings.TrimSpace(lines.Text()))
		if m == nil {
			continue
		}
		known = true
		n, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			served[m[1]] += int(n) // Watch is a method of two services
		}
	}
	if !known {
		return nil, cmp.Or(lines.Err(), errors.New("its metrics count no messages"))
	}
	return served, lines.Err()
}
