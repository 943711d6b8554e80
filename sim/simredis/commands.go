package simredis

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
)

// version is the version of Redis that the nodes report.
const version = "7.2.4"

// Errors of more than one command.
const (
	errReadOnly  = "READONLY You can't write against a read only replica."
	errWrongType = "WRONGTYPE Operation against a key holding the wrong kind of value"
	errInteger   = "ERR value is not an integer or out of range"
	errSyntax    = "ERR syntax error"
	errOverflow  = "ERR increment or decrement would overflow"

	errOneDatabase = "ERR the simulated Redis has database 0 only"
)

// spec describes a command before it is executed.
type spec struct {
	name  string // as in errors: lower case, "client|id" for a subcommand
	arity int    // the number of words, with its name; negative: or more
	write bool   // refused on replicas
	// noScript commands cannot be called from scripts; immediate ones are not
	// queued by MULTI; pubSub ones are allowed to a subscriber.
	noScript, immediate, pubSub bool
	// touch commands of the engine change their first key for WATCH even if they leave
	// the value as it was.
	touch bool
	// sub is set if the command only has subcommands.
	sub bool
	// reads commands only read, so that a client that tracks may cache their answers.
	reads bool
	// run executes the command; without it the engine does.
	run func(*Node, *request)
}

// table lists the commands that are simulated as name/arity, as COMMAND reports
// it, and flags: w writes, t touches, s cannot be called from scripts, n is not
// queued by MULTI, p is allowed to subscribers, c holds subcommands.
const table = `
	append/3/wt bitcount/-2 bitop/-4/w bitpos/-3 decr/2/w decrby/3/w get/2 getbit/3 getdel/2/w getex/-2/w
	getrange/4 getset/3/w incr/2/w incrby/3/w incrbyfloat/3/wt mget/-2 mset/-3/w msetnx/-3/w psetex/4/w
	set/-3/w setbit/4/w setex/4/w setnx/3/w setrange/4/w strlen/2

	copy/-3/w dbsize/1 del/-2/w exists/-2 expire/-3/w expireat/-3/w expiretime/2 flushall/-1/w flushdb/-1/w
	keys/2 persist/2/w pexpire/-3/w pexpireat/-3/w pexpiretime/2 pttl/2 randomkey/1 rename/3/w renamenx/3/w
	scan/-2 touch/-2 ttl/2 type/2 unlink/-2/w

	hdel/-3/w hexists/3 hget/3 hgetall/2 hincrby/4/wt hincrbyfloat/4/wt hkeys/2 hlen/2 hmget/-3 hmset/-4/wt
	hrandfield/-2 hscan/-3 hset/-4/wt hsetnx/4/w hstrlen/3 hvals/2

	lindex/3 linsert/5/w llen/2 lmove/5/wt lmpop/-4/w lpop/-2/w lpos/-3 lpush/-3/w lpushx/-3/w lrange/4
	lrem/4/w lset/4/wt ltrim/4/wt rpop/-2/w rpoplpush/3/wt rpush/-3/w rpushx/-3/w

	sadd/-3/w scard/2 sdiff/-2 sdiffstore/-3/w sinter/-2 sintercard/-3 sinterstore/-3/w sismember/3 smembers/2
	smismember/-3 smove/4/w spop/-2/w srandmember/-2 srem/-3/w sscan/-3 sunion/-2 sunionstore/-3/w

	zadd/-4/w zcard/2 zcount/4 zincrby/4/w zinterstore/-4/w zlexcount/4 zmpop/-4/w zmscore/-3
	zpopmax/-2/w zpopmin/-2/w zrandmember/-2 zrange/-4 zrangebylex/-4 zrangebyscore/-4 zrank/3 zrem/-3/w
	zremrangebylex/4/w zremrangebyrank/4/w zremrangebyscore/4/w zrevrange/-4 zrevrangebylex/-4
	zrevrangebyscore/-4 zrevrank/3 zscan/-3 zscore/3 zunion/-3 zunionstore/-4/w

	eval/-3/s evalsha/-3/s eval_ro/-3/s evalsha_ro/-3/s
	script/-2/c script|exists/-3/s script|flush/-2/s script|load/3/s

	discard/1/sn exec/1/sn multi/1/sn unwatch/1/s watch/-2/sn

	psubscribe/-2/sp publish/3 punsubscribe/-1/sp subscribe/-2/sp unsubscribe/-1/sp
	spublish/3 ssubscribe/-2/sp sunsubscribe/-1/sp

	auth/-2/s echo/2 hello/-1/s info/-1 ping/-1/p quit/-1/snp role/1/s select/2 time/1 wait/3/s
	client/-2/c client|getname/2/s client|id/2/s client|setinfo/4/s client|setname/3/s client|no-evict/3/s client|no-touch/3/s
	client|caching/3/s client|getredir/2/s client|tracking/-3/s client|trackinginfo/2/s

	command/-1/c command|count/2 command|getkeys/-4 command|info/-2

	asking/1 readonly/1 readwrite/1 migrate/-6/w
	cluster/-2/c cluster|bumpepoch/2 cluster|count-failure-reports/3 cluster|countkeysinslot/3 cluster|failover/-2
	cluster|getkeysinslot/4 cluster|info/2 cluster|keyslot/3 cluster|myid/2 cluster|nodes/2 cluster|replicas/3 cluster|setslot/-4
	cluster|shards/2 cluster|slaves/3 cluster|slots/2

	delex/-2/w digest/2 delifeq/3/w
	cad/3/w
`

// handlers are the commands that the node executes itself: those on keys and their
// expiry, on strings as locks use them, on connections, scripts, transactions and
// subscriptions, and those that the engine would answer in the order of a map. The
// engine executes the rest.
var handlers = map[string]func(*Node, *request){
	"get": (*Node).get, "set": (*Node).setCommand, "setex": (*Node).setEx, "psetex": (*Node).setEx,
	"setnx": (*Node).setNX, "getset": (*Node).getSet, "getdel": (*Node).getDel, "getex": (*Node).getEx,
	"cad": (*Node).compareAndDelete, "delex": (*Node).delEx, "digest": (*Node).digest, "delifeq": (*Node).delIfEqual,
	"mset": (*Node).mset, "msetnx": (*Node).mset, "getrange": (*Node).getRange, "setrange": (*Node).setRange,
	"incr": (*Node).incr, "decr": (*Node).incr, "incrby": (*Node).incr, "decrby": (*Node).incr,
	"incrbyfloat": (*Node).incrFloat,

	"del": (*Node).del, "unlink": (*Node).del, "exists": (*Node).exists, "touch": (*Node).exists,
	"type": (*Node).typeOf, "keys": (*Node).keys, "randomkey": (*Node).randomKey,
	"rename": (*Node).rename, "renamenx": (*Node).rename, "copy": (*Node).copyKey,
	"flushall": (*Node).flush, "flushdb": (*Node).flush,

	"expire": (*Node).expireIn, "pexpire": (*Node).expireIn,
	"expireat": (*Node).expireIn, "pexpireat": (*Node).expireIn, "persist": (*Node).persist,
	"ttl": (*Node).ttl, "pttl": (*Node).ttl, "expiretime": (*Node).ttl, "pexpiretime": (*Node).ttl,

	"sdiff": (*Node).combine, "sinter": (*Node).combine, "sunion": (*Node).combine,
	"sdiffstore": (*Node).combine, "sinterstore": (*Node).combine, "sunionstore": (*Node).combine,
	"zadd": (*Node).zadd, "zincrby": (*Node).zincrby, "hincrby": (*Node).hincrby,
	"zpopmax": (*Node).popNone, "zpopmin": (*Node).popNone,
	"bitop": (*Node).store, "zinterstore": (*Node).store, "zunionstore": (*Node).store,
	"spop": (*Node).draw, "srandmember": (*Node).draw, "hrandfield": (*Node).draw, "zrandmember": (*Node).draw,

	"eval": (*Node).eval, "evalsha": (*Node).eval, "eval_ro": (*Node).eval, "evalsha_ro": (*Node).eval,
	"script|exists": (*Node).scriptExists, "script|flush": (*Node).scriptFlush, "script|load": (*Node).scriptLoad,

	"discard": (*Node).discard, "exec": (*Node).exec, "multi": (*Node).multi,
	"unwatch": (*Node).unwatch, "watch": (*Node).watch,

	"subscribe": (*Node).subscribe, "psubscribe": (*Node).subscribe,
	"unsubscribe": (*Node).unsubscribe, "punsubscribe": (*Node).unsubscribe, "publish": (*Node).publish,
	"ssubscribe": (*Node).subscribe, "sunsubscribe": (*Node).unsubscribe, "spublish": (*Node).publish,

	"auth": (*Node).auth, "hello": (*Node).hello, "info": (*Node).info, "ping": (*Node).ping,
	"quit": (*Node).quit, "role": (*Node).role, "select": (*Node).selectDB, "time": (*Node).time,
	"wait":           (*Node).wait,
	"client|getname": (*Node).clientGetName, "client|id": (*Node).clientID,
	"client|setinfo": (*Node).clientSetInfo, "client|setname": (*Node).clientSetName,
	"client|no-evict": (*Node).clientNo, "client|no-touch": (*Node).clientNo,
	"client|caching": (*Node).clientCaching, "client|getredir": (*Node).clientGetRedir,
	"client|tracking": (*Node).clientTracking, "client|trackinginfo": (*Node).clientTrackingInfo,

	"asking": (*Node).askingCommand, "readonly": (*Node).readOnlyCommand, "readwrite": (*Node).readWrite,
	"migrate": inCluster((*member).migrate),
}

func init() {
	maps.Copy(handlers, map[string]func(*Node, *request){
		"command": (*Node).command, "command|count": (*Node).commandCount,
		"command|getkeys": (*Node).commandGetKeys, "command|info": (*Node).commandInfo,
	})
	// unordered: distinct keys of one map
	for name, run := range clusterHandlers {
		handlers["cluster|"+name] = inCluster(run)
	}
}

// specs are the commands of the table by name.
var specs map[string]*spec

func init() {
	specs = map[string]*spec{}
	for _, line := range strings.Fields(table) {
		name, rest, _ := strings.Cut(line, "/")
		arity, flags, _ := strings.Cut(rest, "/")
		s := &spec{name: name, run: handlers[name]}
		s.arity, _ = strconv.Atoi(arity) // a test compares it with Redis's
		has := func(flag string) bool { return strings.Contains(flags, flag) }
		s.write, s.touch, s.noScript, s.immediate, s.pubSub, s.sub = has("w"), has("t"), has("s"), has("n"), has("p"), has("c")
		s.reads = slices.Contains(infos[name].flags, "readonly") && !strings.HasPrefix(name, "eval")
		specs[name] = s
	}
}

// find looks up a command by its words. If they are wrong, it returns the error as
// reason.
func find(words []string) (s *spec, reason string) {
	name := strings.ToLower(words[0])
	s = specs[name]
	if s != nil && s.sub && len(words) > 1 {
		name += "|" + strings.ToLower(words[1])
		s = specs[name]
	}
	switch {
	case s == nil || strings.Contains(words[0], "|"):
		return nil, fmt.Sprintf("ERR the simulated Redis does not support '%s' (package simredis lists what it does)", strings.ToUpper(strings.Replace(name, "|", " ", 1)))
	case s.arity > 0 && len(words) != s.arity || len(words) < -s.arity:
		return s, fmt.Sprintf("ERR wrong number of arguments for '%s' command", s.name)
	}
	return s, ""
}

// sort returns the sort of request of a command: its name, its script, and its number of words, which reflects
// options.
func (s *spec) sort(words []string) []string {
	list := []string{s.name, strconv.Itoa(len(words))}
	if len(words) > 1 && strings.HasPrefix(s.name, "eval") {
		list = append(list, words[1])
	}
	return list
}

// request is one command under execution.
type request struct {
	*spec
	conn *conn    // the client's, also for a command of a script
	out  *output  // where the reply goes
	args []string // the words after the name, and the subcommand's name
	// queued requests were held back by MULTI, and may not block.
	queued bool
}

// newRequest makes a request of words that find has accepted.
func newRequest(s *spec, c *conn, out *output, words []string) *request {
	return &request{spec: s, conn: c, out: out, args: words[1+strings.Count(s.name, "|"):]}
}

// by returns the origin of the request's changes.
func (r *request) by() model.Origin { return r.conn.origin() }

// process refuses, queues or executes a command of a client.
func (n *Node) process(c *conn, words []string) {
	s, reason := find(words)
	switch foreign := n.unknown(s, words); {
	case foreign != "":
		reason = foreign
	case reason != "":
		c.refuseUnknown(s, words)
	}
	if s != nil {
		n.world.Served(c.task, s.sort(words)...)
	}
	if reason == "" {
		if reason = n.elsewhere(c, s, words[1:]); reason != "" && s.name == "exec" {
			c.endTransaction()
		}
	}
	if reason == "" {
		reason = n.refusal(c, s)
	}
	if reason == "" && n.holdsBack && s.mayReplicate(c) {
		n.holdBack(c, words)
		return
	}
	defer c.asked(s)
	switch {
	case reason != "":
		c.refuse(s, reason)
		if s != nil {
			n.counts.add(s.name, commandCount{rejected: 1})
		}
	case c.tx != nil && !s.immediate:
		r := newRequest(s, c, c.out, words)
		r.queued = true
		if !c.tx.dirty && !n.outdated(c) { // of one that is not to be executed, Redis keeps no more
			c.tx.queue = append(c.tx.queue, r)
		}
		c.out.WriteInline("QUEUED")
	default:
		before := n.Position
		r := newRequest(s, c, c.out, words)
		n.runTracked(r)
		n.replicate()
		n.show(r)
		if n.Position != before {
			c.written = n.Position
		}
	}
}

// refusal returns the error of a command that must be refused now, or "".
func (n *Node) refusal(c *conn, s *spec) string {
	switch {
	case s.write && !n.IsPrimary():
		return errReadOnly
	case n.lacksReplicas() && (s.write || s.name == "exec" && c.tx != nil && writes(s, c.tx.queue)):
		return errNoReplicas
	case c.channels+c.sharded > 0 && !c.out.Resp3 && !s.pubSub:
		return fmt.Sprintf("ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context", s.name)
	}
	return ""
}

// run executes one command and collects what it changed.
func (n *Node) run(r *request) {
	mark := r.out.mark()
	if r.spec.run != nil {
		r.spec.run(n, r)
	} else {
		n.byEngine(r)
	}
	count := commandCount{calls: 1}
	if answer := r.out.since(mark); len(answer) > 0 && answer[0] == '-' {
		count.failed = 1
	}
	n.counts.add(r.spec.name, count)
	n.remember(r)
}

// byEngine executes a command by the engine.
func (n *Node) byEngine(r *request) {
	mark := r.out.mark()
	n.dispatch(r.out, r.name, r.args...)
	r.refuseOption(r.out.since(mark))
	if r.write {
		n.collect(r, r.out.since(mark)[0] == '-')
	}
}

// collect compares the keys that a command of the engine may have changed,
// which may be any of its arguments, with the keyspace. Those that are still
// there keep their expiry.
func (n *Node) collect(r *request, failed bool) {
	for i, key := range r.args {
		old, v := n.data[key], n.read(key)
		now := &entry{value: v, owner: r.by()}
		switch {
		case v.kind == "" && old == nil:
			continue
		case v.kind == "":
			now = nil
		case old != nil && v.equal(old.value):
			if r.touch && !failed && i == 0 {
				n.touched(key)
			}
			continue
		case old != nil:
			now.expires = old.expires
		}
		n.change(key, now, r.by())
	}
}
