package simkube

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// watch is a WATCH: a stream of events from the server's cache.
type watch struct {
	call   *call
	filter filter
	from   int64
	end    func() // cancels the end of its time
}

// watchEvent is an event of a watch.
type watchEvent struct {
	Type   string `json:"type"`
	Object any    `json:"object"`
}

// watchTimeout is how long a watch lasts that does not say so (--min-request-timeout). A server adds up to
// as much at random.
const watchTimeout = 30 * time.Minute

// watch answers a WATCH.
func (c *call) watch() {
	n := c.node
	q := c.Request.URL.Query()
	f, from, err := c.query()
	switch {
	case err != nil:
		c.finish(fails(err))
		return
	case q.Get("sendInitialEvents") != "":
		c.finish(fails(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")))
		return
	case !n.cache.ready:
		s := failure(http.StatusTooManyRequests, "TooManyRequests", "storage is (re)initializing")
		s.Details = &details{RetryAfterSeconds: 1}
		c.finish(fails(s))
		return
	}
	limit := watchTimeout
	if seconds, err := strconv.ParseUint(q.Get("timeoutSeconds"), 10, 31); err == nil && seconds > 0 {
		limit = time.Duration(seconds) * time.Second
	}
	w := &watch{call: c, filter: f, from: from}
	c.Gone = w.forget
	c.Stream(http.StatusOK, http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"no-cache, private"}})
	if from != 0 && from < n.cache.since {
		w.send("ERROR", expired(from, n.cache.since))
		w.stop()
		return
	}
	w.end = n.world.At(n.Actor, n.world.Now()+limit, sim.EventWork, sim.EventOptions{}, func() { n.Do(w.stop) })
	n.watches = append(n.watches, w)
	n.Observe(watched(c.By(), f))
	w.begin()
}

// forbidden is the answer to a parameter that a server does not take.
func forbidden(field, why string) *status {
	s := failure(http.StatusUnprocessableEntity, "Invalid", `ListOptions.meta.k8s.io "" is invalid: `+field+": Forbidden: "+why)
	s.Details = &details{Group: "meta.k8s.io", Kind: "ListOptions", Causes: []cause{{"FieldValueForbidden", "Forbidden: " + why, field}}}
	return s
}

// begin sends the events that are there already: those after a resource version, or if there is none, one for each
// lease.
func (w *watch) begin() {
	seen := w.call.node.cache.seen
	if w.from == 0 {
		for _, l := range seen.list(w.filter) {
			w.send("ADDED", l)
		}
		w.from = seen.revision
		return
	}
	for _, c := range seen.changes {
		w.pass(c)
	}
}

// pass sends the event of a change, if the watch is about it.
func (w *watch) pass(c *change) (sent bool) {
	l, kind := c.now, "MODIFIED"
	switch {
	case c.now == nil:
		gone := *c.old
		gone.Metadata.ResourceVersion = strconv.FormatInt(c.revision, 10)
		l, kind = &gone, "DELETED"
	case c.old == nil:
		kind = "ADDED"
	}
	if c.revision <= w.from || !w.filter.passes(l) {
		return false
	}
	w.send(kind, l)
	return true
}

func (w *watch) send(kind string, object any) {
	w.call.Write(encode(watchEvent{kind, object}))
}

// stop ends the answer.
func (w *watch) stop() {
	w.forget()
	w.call.End()
}

// forget forgets a watch that has ended.
func (w *watch) forget() {
	w.call.forget()
	if w.end != nil {
		w.end()
	}
	n := w.call.node
	n.watches = slices.DeleteFunc(n.watches, func(o *watch) bool { return o == w })
}

// notify sends a change to the watches.
func (n *Node) notify(c *change) {
	for _, w := range slices.Clone(n.watches) {
		if w.pass(c) {
			n.Observe(fired(w.call.By(), c))
		}
	}
}
