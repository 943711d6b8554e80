package simkube

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
	"github.com/lockpick-dev/lockpick/sim/simhttp"
)

// call is a request that is being answered.
type call struct {
	*simhttp.Exchange
	node    *Node
	path    path
	verb    string // as in Kubernetes' audit log: "get", "update"
	done    bool
	breaks  bool     // etcd's answer is lost
	cancels []func() // the end of its time, and of etcd's patience
}

// path is what a request is about.
type path struct {
	namespace, name string
	leases          bool // it is one of leases
}

// prefix is that of the paths of leases.
const prefix = "/apis/" + apiVersion + "/"

// parsePath parses a request's path: namespaces/NS/leases/NAME, namespaces/NS/leases or leases.
func parsePath(text string) (p path) {
	rest, is := strings.CutPrefix(text, prefix)
	parts := strings.Split(rest, "/")
	switch {
	case !is:
	case len(parts) == 1 && parts[0] == "leases":
		p.leases = true
	case (len(parts) == 3 || len(parts) == 4 && parts[3] != "") && parts[0] == "namespaces" && parts[1] != "" && parts[2] == "leases":
		p.leases, p.namespace = true, parts[1]
		if len(parts) == 4 {
			p.name = parts[3]
		}
	}
	return p
}

// handle handles a request.
func (n *Node) handle(x *simhttp.Exchange) {
	c := &call{Exchange: x, node: n, path: parsePath(x.Request.URL.Path)}
	c.verb = c.verbOf()
	x.Gone = c.forget
	n.calls = append(n.calls, c)
	n.serve(c.verb, x.Task)
	what := c.unsupported()
	done, failing := n.failing[c.By().Conn]
	delete(n.failing, c.By().Conn)
	switch {
	case what != "":
		c.unserved(what)
		c.send(http.StatusNotFound, nil, []byte("404 page not found\n"))
	case n.rejects > 0:
		n.rejects--
		n.Observe(rejected(c.By()))
		c.send(http.StatusTooManyRequests, http.Header{"Retry-After": {"1"}, "Content-Type": {"text/plain; charset=utf-8"}}, []byte("Too many requests, please try again later.\n"))
	case failing && !done:
		c.broken(false)
	default:
		c.breaks = failing
		c.begin()
	}
}

// broken answers a request with etcd's error when the connection to it breaks.
func (c *call) broken(done bool) {
	c.breaks = false
	c.node.Observe(model.Observation{Kind: model.Noted, Owner: c.By(), Note: server.Failed("500 Internal Server Error", done)})
	c.finish(fails(ofStorage("rpc error: code = Unavailable desc = error reading from server: EOF")))
}

// unserved fails the run.
func (c *call) unserved(what string) {
	c.Refuse("the simulated API server does not support " + what)
}

// verbs are those of Kubernetes, by method, for one lease.
var verbs = map[string]string{
	http.MethodGet: "get", http.MethodPut: "update", http.MethodPost: "create", http.MethodPatch: "patch", http.MethodDelete: "delete",
}

func (c *call) verbOf() string {
	verb := verbs[c.Request.Method]
	if c.path.name != "" || verb != "get" && verb != "delete" {
		return verb
	}
	watch := c.Request.URL.Query().Get("watch")
	switch {
	case verb == "delete":
		return "deletecollection"
	case watch == "1" || watch == "true":
		return "watch"
	}
	return "list"
}

// unsupported names what the request has that is not supported, or returns "".
func (c *call) unsupported() string {
	q := c.Request.URL.Query()
	switch {
	case !c.path.leases:
		return fmt.Sprintf("%s %s (it has the leases of %s)", c.Request.Method, c.Request.URL.Path, apiVersion)
	case !c.known():
		return fmt.Sprintf("%s %s", c.Request.Method, c.Request.URL.Path)
	}
	for _, name := range []string{"dryRun", "labelSelector", "limit", "continue"} {
		if value := q.Get(name); value != "" && value != "0" {
			return "the parameter " + name
		}
	}
	if match := q.Get("resourceVersionMatch"); match != "" && match != "NotOlderThan" {
		return "resourceVersionMatch=" + match
	}
	return c.unsupportedType()
}

// known reports whether the verb fits the path.
func (c *call) known() bool {
	switch c.verb {
	case "get", "update", "patch", "delete":
		return c.path.name != ""
	case "create":
		return c.path.name == "" && c.path.namespace != ""
	}
	return c.verb == "list" || c.verb == "watch"
}

// unsupportedType names an encoding of the request, or of all answers that its client takes, that is not supported.
func (c *call) unsupportedType() string {
	accepts := strings.Join(c.Request.Header.Values("Accept"), ",")
	takes := accepts == ""
	for _, one := range strings.Split(accepts, ",") {
		t, parameters, err := mime.ParseMediaType(one)
		if err == nil && (t == "application/json" || t == "*/*" || t == "application/*") && parameters["as"] == "" {
			takes = true
		}
	}
	if !takes {
		return "answers in " + accepts
	}
	t, _, _ := strings.Cut(c.Request.Header.Get("Content-Type"), ";")
	switch {
	case len(c.Body) == 0 && c.verb != "patch":
	case c.verb == "patch" && t == "application/merge-patch+json", c.verb != "patch" && (t == "" || t == "application/json"):
	default:
		return c.verb + " with the content type " + t
	}
	return ""
}

// The time that a server gives a request: the most for any (--request-timeout), and for one that writes.
const (
	requestTimeout = time.Minute
	writeTimeout   = 34 * time.Second
)

// begin carries a request out.
func (c *call) begin() {
	if c.verb == "watch" {
		c.watch()
		return
	}
	limit := requestTimeout
	if c.verb != "get" && c.verb != "list" {
		limit = writeTimeout
	}
	if text := c.Request.URL.Query().Get("timeout"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			c.finish(fails(badRequest("invalid timeout specified in the request URL - " + err.Error())))
			return
		}
		if d > 0 {
			limit = min(limit, d)
		}
	}
	c.within(limit, timedOut("request did not complete within the allotted timeout", 0))
	switch c.verb {
	case "get", "list":
		c.read()
	default:
		c.write()
	}
}

// within answers a request with an error unless it is answered within a time.
func (c *call) within(d time.Duration, late *status) {
	n := c.node
	c.cancels = append(c.cancels, n.world.At(n.Actor, n.world.Now()+d, sim.EventWork, sim.EventOptions{}, func() {
		n.Do(func() { c.finish(fails(late)) })
	}))
}

// forget forgets a request that is answered, or whose client has gone.
func (c *call) forget() {
	c.done = true
	for _, cancel := range c.cancels {
		cancel()
	}
	c.node.calls = slices.DeleteFunc(c.node.calls, func(o *call) bool { return o == c })
}

// over reports whether nobody waits for the answer.
func (c *call) over() bool { return c.done }

// finish answers a request. Only the first call answers.
func (c *call) finish(a answer) {
	if c.breaks && !c.done && a.code < http.StatusInternalServerError {
		c.broken(a.code < http.StatusMultipleChoices)
		return
	}
	header := http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"no-cache, private"}}
	if s, is := a.object.(*status); is && s.Details != nil && s.Details.RetryAfterSeconds > 0 {
		header.Set("Retry-After", strconv.Itoa(s.Details.RetryAfterSeconds))
	}
	c.send(a.code, header, encode(a.object))
}

func (c *call) send(code int, header http.Header, body []byte) {
	if !c.done {
		c.forget()
		c.Respond(code, header, body)
	}
}
