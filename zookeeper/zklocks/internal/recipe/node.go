package recipe

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// digits is the number of digits of a sequence, without its sign.
const digits = 10

// A node is a sequential child of a queue's directory.
type node struct {
	name     string
	prefix   string // the name without the sequence
	sequence int32
}

// parse parses the name of a sequential node. ZooKeeper appends ten digits, and a minus
// sign before them after 2^31 creations.
func parse(name string) (n node, ok bool) {
	at := len(name) - digits
	if at < 0 {
		return n, false
	}
	// The prefixes of this package and of other clients end with one minus of their own.
	if strings.HasSuffix(name[:at], "--") {
		at--
	}
	sequence, err := strconv.ParseInt(name[at:], 10, 32)
	if err != nil || name[at] == '+' {
		return n, false
	}
	return node{name, name[:at], int32(sequence)}, true
}

// compare orders nodes by their creation. Sequences are signed, of 32 bits, and wrap
// around from 2147483647 to -2147483648: the sign of their difference is right as long
// as fewer than 2^31 lie between the two.
func (n node) compare(other node) int { return cmp.Compare(n.sequence-other.sequence, 0) }

// inOrder returns the nodes of the given names in their order. A name without a sequence
// is not in the queue.
func inOrder(names []string) []node {
	var nodes []node
	for _, name := range names {
		if n, ok := parse(name); ok {
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, node.compare)
	return nodes
}

// before returns the nodes of the names that precede a node, in order.
func (n node) before(names []string) []node {
	return slices.DeleteFunc(inOrder(names), func(other node) bool { return other.compare(n) >= 0 })
}
