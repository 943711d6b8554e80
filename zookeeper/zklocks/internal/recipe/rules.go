package recipe

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/go-zookeeper/zk"
)

// A Rule decides when a node of a queue holds.
type Rule struct {
	// blocker returns the node that must go before own can hold, among those before it,
	// in order. Without one own holds.
	blocker func(before []node, own node) (blocker node, blocked bool)
	// anyone is set if others may let own in as well, so that a waiter waits for any
	// change of the directory.
	anyone bool
}

// Predecessor is the rule that the first holds, and each waits for the one before it.
var Predecessor = Rule{blocker: func(before []node, _ node) (node, bool) {
	if len(before) == 0 {
		return node{}, false
	}
	return before[len(before)-1], true
}}

// First is the rule that the first holds, and all others wait for it.
var First = Rule{blocker: func(before []node, _ node) (node, bool) {
	if len(before) == 0 {
		return node{}, false
	}
	return before[0], true
}}

// The kinds in the names of readers' and of writers' nodes.
const (
	ReadKind  = "read-"
	WriteKind = "write-"
)

// LastWriter is the rule of readers.
var LastWriter = Rule{blocker: func(before []node, _ node) (writer node, found bool) {
	for _, n := range before {
		if !strings.HasSuffix(n.prefix, ReadKind) {
			writer, found = n, true
		}
	}
	return writer, found
}}

// PermitKind is the kind in the names of semaphores' nodes, before the number of
// permits.
const PermitKind = "permits-"

// Permits returns the rule of a semaphore with the given number of permits.
func Permits(total int) Rule {
	return Rule{anyone: true, blocker: func(before []node, own node) (node, bool) {
		wanted := own.permits()
		for _, n := range before {
			wanted += n.permits()
		}
		if wanted <= total {
			return node{}, false
		}
		return before[0], true
	}}
}

// permits returns the number of permits that a node wants.
func (n node) permits() int {
	_, number, _ := strings.Cut(n.prefix, PermitKind)
	permits, err := strconv.Atoi(strings.TrimSuffix(number, "-"))
	if err != nil {
		return 0 // it is not a semaphore's node
	}
	return permits
}

// Available returns the number of permits that were free a moment ago, by the server that the client is
// connected to.
func (q *Queue) Available(ctx context.Context, total int) (int, error) {
	names, err := Ask(ctx, q.session, func(conn *zk.Conn) ([]string, error) {
		names, _, err := conn.Children(q.dir)
		return names, err
	})
	if err != nil && !errors.Is(err, zk.ErrNoNode) {
		return 0, err
	}
	return available(names, total), nil
}

// available returns the number of permits that the holders leave. The holders are the
// nodes before the first that has to wait.
func available(names []string, total int) int {
	free := total
	for _, n := range inOrder(names) {
		if n.permits() > free {
			break
		}
		free -= n.permits()
	}
	return free
}
