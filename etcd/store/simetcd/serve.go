package simetcd

import (
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/sim"
)

// kind is the kind of a call, which decides how many messages it has.
type kind int

const (
	unary kind = iota
	keepingAlive
	watching
)

// method is what a server does with the messages of a call.
type method struct {
	kind       kind
	noRevision bool // its answers have no revision
	request    func() decodable
	serve      func(c *call, request decodable)
}

// of makes a function of a request into one of a message.
func of[R any, P interface {
	*R
	decodable
}](serve func(c *call, r P)) method {
	return method{
		request: func() decodable { return P(new(R)) },
		serve:   func(c *call, r decodable) { serve(c, r.(P)) },
	}
}

// methods are those that are served.
var methods map[string]method

func init() {
	keepAlive, watch, members := of((*call).keepAlive), of((*call).watch), of((*call).memberList)
	keepAlive.kind, watch.kind, members.noRevision = keepingAlive, watching, true
	methods = map[string]method{
		"/etcdserverpb.KV/Range":              of((*call).rangeKeys),
		"/etcdserverpb.KV/Put":                of(checked[*putRequest]),
		"/etcdserverpb.KV/DeleteRange":        of(checked[*deleteRequest]),
		"/etcdserverpb.KV/Txn":                of((*call).txn),
		"/etcdserverpb.KV/Compact":            of(func(c *call, r *compactRequest) { c.write(r) }),
		"/etcdserverpb.Lease/LeaseGrant":      of((*call).grant),
		"/etcdserverpb.Lease/LeaseRevoke":     of(func(c *call, r *revokeRequest) { c.write(r) }),
		"/etcdserverpb.Lease/LeaseKeepAlive":  keepAlive,
		"/etcdserverpb.Lease/LeaseTimeToLive": of((*call).timeToLive),
		"/etcdserverpb.Lease/LeaseLeases":     of((*call).leases),
		"/etcdserverpb.Watch/Watch":           watch,
		"/etcdserverpb.Cluster/MemberList":    members,
		"/etcdserverpb.Maintenance/Status":    of((*call).status),
		"/etcdserverpb.Auth/Authenticate":     of((*call).authenticate),
	}
}

// refuses fails the run if etcd has a method, in a service of its own, that is not served.
func refuses(s Stream, path string, t *sim.Task) {
	for _, service := range []string{"/etcdserverpb.", "/v3lockpb.", "/v3electionpb.", "/grpc.health.v1."} {
		if strings.HasPrefix(path, service) {
			s.Refuse(t, "the simulated etcd does not support the method "+path)
		}
	}
}

// unknown is how gRPC refuses a method that is not served.
func unknown(path string) status {
	service, name, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	for known := range methods { // unordered: any will do
		if strings.HasPrefix(known, "/"+service+"/") {
			return status{codeUnimplemented, fmt.Sprintf("unknown method %s for service %s", name, service)}
		}
	}
	return status{codeUnimplemented, "unknown service " + service}
}

// checked checks a request and, if it is valid, writes it.
func checked[R interface {
	operation
	check() status
}](c *call, r R) {
	if err := r.check(); err != (status{}) {
		c.finish(nil, err)
		return
	}
	c.write(r)
}

// fails answers a request with an error.
func (c *call) fails(err status) { c.finish(nil, err) }

func (c *call) rangeKeys(r *rangeRequest) {
	if err := r.check(); err != (status{}) {
		c.fails(err)
		return
	}
	run := func() {
		s := c.node.state
		if answer, err := s.read(r, s.revision); err != (status{}) {
			c.fails(err)
		} else {
			c.finish(answer, status{})
		}
	}
	if r.serializable {
		run()
		return
	}
	c.linearizable(run, c.fails)
}

func (c *call) txn(r *txnRequest) {
	if err := r.check(); err != (status{}) {
		c.fails(err)
		return
	}
	run := func() { c.finish(r.apply(c.node.state)) }
	switch {
	case r.writes():
		c.write(r)
	case r.serializable():
		run()
	default:
		c.linearizable(run, c.fails)
	}
}

// grant grants a lease. If the client has no number for it, the server chooses one.
func (c *call) grant(r *grantRequest) {
	if r.id == 0 {
		n := c.node
		n.granted++
		r.id = int64(n.id>>1)&^0xffffff | n.granted
	}
	c.write(r)
}

// keepAlive queues a message to keep a lease alive. They are answered one after the other.
func (c *call) keepAlive(r *keepAliveRequest) {
	c.queue = append(c.queue, c)
	if len(c.queue) == 1 {
		c.renew(r)
		return
	}
	c.waiting = r
}

// nextKeepAlive continues with the next message to keep a lease alive.
func (c *call) nextKeepAlive() {
	r := c.rpc
	r.queue = r.queue[1:]
	switch {
	case len(r.queue) > 0:
		next := r.queue[0]
		next.started = next.node.world.Now()
		next.renew(next.waiting)
	case r.halfClosed:
		r.close(status{}, c.task)
	}
}

// renew keeps a lease alive. The header is that of the moment at which the message arrived,
// so that a client does not conclude that the lease was alive at a revision at which it was
// revoked. A leader that resumes after a hang first makes sure that it leads, unless it is an
// old one.
func (c *call) renew(r *keepAliveRequest) {
	n := c.node
	answer := &leaseResponse{header: header{revision: n.state.revision}, id: r.id}
	renew := func() {
		c.forward("keep alive", func(l *leadership, reply func(func())) {
			l.keepAlive(r.id, func(ttl int64) {
				reply(func() {
					answer.ttl = ttl
					c.finish(answer, status{})
				})
			})
		})
	}
	if n.leads != nil && n.catchingUp && !n.cluster.options.StaleKeepAlive {
		c.linearizable(renew, func(status) { c.fails(errNotPrimary) })
		return
	}
	renew()
}

func (c *call) timeToLive(r *timeToLiveRequest) {
	c.forward("time to live", func(l *leadership, reply func(func())) {
		answer := l.timeToLive(r)
		reply(func() { c.finish(answer, status{}) })
	})
}

func (c *call) leases(*emptyRequest) {
	c.finish(&leasesResponse{ids: c.node.leaseList()}, status{})
}

func (c *call) memberList(r *memberListRequest) {
	run := func() {
		answer := &memberListResponse{}
		for _, n := range c.node.cluster.Nodes() {
			host, _, _ := strings.Cut(n.Address(), ":")
			answer.members = append(answer.members, member{n.id, n.Name(), "http://" + host + ":2380", "http://" + n.Address()})
		}
		c.finish(answer, status{})
	}
	if r.linearizable {
		c.linearizable(run, c.fails)
		return
	}
	run()
}

func (c *call) status(*emptyRequest) {
	n := c.node
	answer := &statusResponse{version: serverVersion, index: uint64(n.Applied), applied: uint64(n.Applied)}
	if n.Leader() != nil {
		answer.leader = n.Leader().id
	} else {
		answer.errors = []string{errNoLeader.text}
	}
	c.finish(answer, status{})
}

// authenticate refuses: no users are set up.
func (c *call) authenticate(*emptyRequest) {
	c.linearizable(func() { c.fails(errAuthNotEnabled) }, c.fails)
}
