package simredis

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// commandCounts counts what a node was asked for since it started: commands that ran, those among them that failed, and those
// that were refused before they ran.
type commandCounts map[string]commandCount

type commandCount struct{ calls, failed, rejected int }

func (c *commandCounts) add(name string, add commandCount) {
	if *c == nil {
		*c = commandCounts{}
	}
	is := (*c)[name]
	(*c)[name] = commandCount{is.calls + add.calls, is.failed + add.failed, is.rejected + add.rejected}
}

// countsInfo is the section of INFO about commands, in the order of their names. A call takes [Options.Service], or what the meter says.
func (n *Node) countsInfo() string {
	var b strings.Builder
	b.WriteString("# Commandstats\r\n")
	for _, name := range slices.Sorted(maps.Keys(n.counts)) {
		c := n.counts[name]
		command, _, _ := strings.Cut(name, "|")
		each := n.service(command).Microseconds()
		if c.calls == 0 {
			each = 0
		}
		fmt.Fprintf(&b, "cmdstat_%s:calls=%d,usec=%d,usec_per_call=%d.00,rejected_calls=%d,failed_calls=%d\r\n",
			name, c.calls, each*int64(c.calls), each, c.rejected, c.failed)
	}
	return b.String()
}
