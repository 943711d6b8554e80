package simkube

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/quorum"
)

// leaseList is the answer to a LIST.
type leaseList struct {
	Kind       string   `json:"kind"`
	APIVersion string   `json:"apiVersion"`
	Metadata   listMeta `json:"metadata"`
	Items      []*lease `json:"items"`
}

type listMeta struct {
	ResourceVersion string `json:"resourceVersion"`
}

// read answers a GET or a LIST: from etcd, by a linearizable read, or if the request names a resource version,
// from the server's cache, once that has it.
func (c *call) read() {
	f, from, err := c.query()
	if err != nil {
		c.finish(fails(err))
		return
	}
	answer := func(s *state) { c.finish(c.found(s, f)) }
	n := c.node
	if c.Request.URL.Query().Get("resourceVersion") == "" || !n.cache.ready {
		n.reads.Add(&quorum.Read{Over: c.over, Late: func() bool { return false }, Run: func() { answer(n.state) }})
		return
	}
	n.whenFresh(c, from, func() { answer(n.cache.seen) })
}

// found is the answer to a read from a state.
func (c *call) found(s *state, f filter) answer {
	if c.verb == "list" {
		list := s.list(f)
		for i, l := range list { // without a kind, as those of any list
			item := *l
			item.Kind, item.APIVersion = "", ""
			list[i] = &item
		}
		return answer{http.StatusOK, &leaseList{"LeaseList", apiVersion, listMeta{strconv.FormatInt(s.revision, 10)}, list}}
	}
	l := s.leases[c.path.namespace+"/"+c.path.name]
	if l == nil {
		return fails(notFound(c.path.name))
	}
	return answer{http.StatusOK, l}
}

// query returns which leases a request selects, and its resource version, 0 if it has none.
func (c *call) query() (f filter, from int64, err *status) {
	q := c.Request.URL.Query()
	f = filter{c.path.namespace, c.path.name}
	for _, term := range strings.Split(q.Get("fieldSelector"), ",") {
		field, value, is := strings.Cut(term, "=")
		value = strings.TrimPrefix(value, "=")
		switch {
		case term == "":
		case is && field == "metadata.name":
			f.name = value
		case is && field == "metadata.namespace" && (f.namespace == "" || f.namespace == value):
			f.namespace = value
		default:
			c.unserved("fieldSelector=" + term)
		}
	}
	text := q.Get("resourceVersion")
	switch {
	case text == "" && q.Get("resourceVersionMatch") != "":
		return f, 0, forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided")
	case text == "":
		return f, 0, nil
	}
	n, bad := strconv.ParseUint(text, 10, 64)
	switch {
	case bad == nil:
		return f, int64(min(n, math.MaxInt64)), nil
	case c.verb == "list":
		return f, 0, badRequest(fmt.Sprintf("invalid resource version: resourceVersion: Invalid value: %q: %v", text, bad))
	}
	return f, 0, ofStorage(fmt.Sprintf("resourceVersion: Invalid value: %q: %v", text, bad))
}

// freshness is a request that waits for the cache.
type freshness struct {
	call *call
	from int64
	run  func()
}

// freshTimeout is how long a request waits for the cache.
const freshTimeout = 3 * time.Second

// whenFresh calls f as soon as the cache has a resource version.
func (n *Node) whenFresh(c *call, from int64, f func()) {
	if n.cache.seen.revision >= from {
		f()
		return
	}
	n.waits = append(n.waits, &freshness{c, from, f})
	c.cancels = append(c.cancels, n.world.At(n.Actor, n.world.Now()+freshTimeout, sim.EventWork, sim.EventOptions{}, func() {
		n.Do(func() { c.finish(fails(tooLarge(from, n.cache.seen.revision))) })
	}))
}

// tooLarge is the answer to a request that waits for a resource version which the cache does not get.
func tooLarge(from, have int64) *status {
	s := timedOut(fmt.Sprintf("Too large resource version: %d, current: %d", from, have), 1)
	s.Details.Causes = []cause{{Reason: "ResourceVersionTooLarge", Message: "Too large resource version"}}
	return s
}

// fresh answers the requests for which the cache has enough.
func (n *Node) fresh() {
	waits := n.waits
	n.waits = nil
	for _, w := range waits {
		switch {
		case w.call.over():
		case n.cache.seen.revision >= w.from:
			w.run()
		default:
			n.waits = append(n.waits, w)
		}
	}
}
