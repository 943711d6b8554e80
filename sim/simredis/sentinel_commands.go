package simredis

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2/server"
)

// The commands of a sentinel, with the answers of redis-sentinel.

// sentinelCommand is a command, or a subcommand, of a sentinel.
type sentinelCommand struct {
	arity int // as in [spec]
	run   func(*Sentinel, *client, []string)
}

// sentinelCommands are the commands by their names, a subcommand's after that of its command.
var sentinelCommands map[string]sentinelCommand

func init() {
	// set here, because the commands refer to the table
	sentinelCommands = map[string]sentinelCommand{
		"auth":  {-2, func(_ *Sentinel, c *client, _ []string) { c.out.WriteOK() }},
		"hello": {-1, (*Sentinel).hello},
		"ping":  {-1, func(_ *Sentinel, c *client, args []string) { c.ping(c.out, args) }},
		"quit": {-1, func(_ *Sentinel, c *client, _ []string) {
			c.out.WriteOK()
			c.closed = true
		}},
		"role":           {1, (*Sentinel).role},
		"info":           {-1, (*Sentinel).info},
		"subscribe":      {-2, func(x *Sentinel, c *client, args []string) { x.subs.add(c, "subscribe", args) }},
		"psubscribe":     {-2, func(x *Sentinel, c *client, args []string) { x.subs.add(c, "psubscribe", args) }},
		"unsubscribe":    {-1, func(x *Sentinel, c *client, args []string) { x.subs.remove(c, "unsubscribe", args) }},
		"punsubscribe":   {-1, func(x *Sentinel, c *client, args []string) { x.subs.remove(c, "punsubscribe", args) }},
		"client|id":      {2, func(_ *Sentinel, c *client, _ []string) { c.out.WriteInt(c.sock.ID()) }},
		"client|getname": {2, func(_ *Sentinel, c *client, _ []string) { c.getName(c.out) }},
		"client|setname": {3, func(_ *Sentinel, c *client, args []string) { c.setName(c.out, args[0]) }},
		"client|setinfo": {4, func(_ *Sentinel, c *client, args []string) { setInfo(c.out, args[0], args[1]) }},

		// no key of a sentinel changes
		"client|tracking":     {-3, func(_ *Sentinel, c *client, args []string) { c.track(c.out, args) }},
		"client|trackinginfo": {2, func(_ *Sentinel, c *client, _ []string) { c.trackingInfo(c.out) }},
		"client|caching":      {3, func(_ *Sentinel, c *client, args []string) { c.mayCache(c.out, args[0]) }},
		"client|getredir":     {2, func(_ *Sentinel, c *client, _ []string) { c.out.WriteInt(c.redirection()) }},
		"client|no-evict":     {3, func(_ *Sentinel, c *client, args []string) { onOrOff(c.out, args[0]) }},
		"client|no-touch":     {3, func(_ *Sentinel, c *client, args []string) { onOrOff(c.out, args[0]) }},

		"sentinel|get-master-addr-by-name": {3, (*Sentinel).masterAddress},
		"sentinel|master":                  {3, named((*Sentinel).master)},
		"sentinel|masters":                 {2, (*Sentinel).masters},
		"sentinel|sentinels":               {3, named((*Sentinel).sentinels)},
		"sentinel|replicas":                {3, named((*Sentinel).replicas)},
		"sentinel|slaves":                  {3, named((*Sentinel).replicas)},
		"sentinel|ckquorum":                {3, named((*Sentinel).checkQuorum)},
		"sentinel|failover":                {3, named((*Sentinel).failOver)},
		"sentinel|myid":                    {2, func(x *Sentinel, c *client, _ []string) { c.out.WriteBulk(x.ID) }},
	}
}

// process executes a command of a client.
func (x *Sentinel) process(c *client, words []string) {
	name, args := strings.ToLower(words[0]), words[1:]
	group := name == "sentinel" || name == "client"
	if group && len(args) > 0 {
		name += "|" + strings.ToLower(args[0])
		args = args[1:]
	}
	command, known := sentinelCommands[name]
	switch {
	case group && len(words) == 1, known && command.arity > 0 && len(words) != command.arity, known && len(words) < -command.arity:
		c.out.WriteError(fmt.Sprintf("ERR wrong number of arguments for '%s' command", name))
	case !known && group:
		if !slices.Contains(handshakes, strings.ToUpper(words[0]+" "+words[1])) {
			c.unsupported(strings.ToUpper(words[0]+" "+words[1]) + " of a Sentinel")
		}
		c.out.WriteError(fmt.Sprintf("ERR unknown subcommand '%s'. Try %s HELP.", words[1], strings.ToUpper(words[0])))
	case !known:
		if isOneOf(name, "acl", "command", "config", "publish", "reset", "shutdown") {
			c.unsupported(strings.ToUpper(name) + " of a Sentinel")
		}
		c.out.WriteError(unknownCommand(words))
	case c.channels > 0 && !c.out.Resp3 && !isOneOf(name, "ping", "subscribe", "psubscribe", "unsubscribe", "punsubscribe", "quit"):
		c.out.WriteError(fmt.Sprintf("ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context", name))
	default:
		command.run(x, c, args)
	}
}

// unknownCommand returns the error for an unknown command.
func unknownCommand(words []string) string {
	var args strings.Builder
	for _, w := range words[1:] {
		fmt.Fprintf(&args, "'%s' ", w)
	}
	return fmt.Sprintf("ERR unknown command '%s', with args beginning with: %s", words[0], args.String())
}

func (x *Sentinel) hello(c *client, args []string) {
	resp, ok := c.hello(c.out, args)
	if !ok {
		return
	}
	w := c.out
	w.WriteMapLen(6)
	for _, s := range []string{"server", "redis", "version", version, "proto"} {
		w.WriteBulk(s)
	}
	w.WriteInt(resp)
	w.WriteBulk("id")
	w.WriteInt(c.sock.ID())
	for _, s := range []string{"mode", "sentinel", "modules"} {
		w.WriteBulk(s)
	}
	w.WriteLen(0)
}

func (x *Sentinel) role(c *client, _ []string) {
	c.out.Block(func(w *server.Writer) {
		w.WriteLen(2)
		w.WriteBulk("sentinel")
		w.WriteStrings([]string{masterName})
	})
}

func (x *Sentinel) info(c *client, args []string) {
	if len(args) > 0 && !isOneOf(args[0], "sentinel", "default", "all", "everything") {
		c.out.WriteBulk("")
		return
	}
	m := x.Master()
	status := "ok"
	switch {
	case x.Agreed():
		status = "odown"
	case x.TakesForDown(m):
		status = "sdown"
	}
	tilt, seconds := 0, int64(-1)
	if since, tilted := x.Tilted(); tilted {
		tilt, seconds = 1, int64((x.watch.cluster.world.Now()-since)/time.Second)
	}
	c.out.WriteBulk(fmt.Sprintf("# Sentinel\r\nsentinel_masters:1\r\nsentinel_tilt:%d\r\nsentinel_tilt_since_seconds:%d\r\nsentinel_running_scripts:0\r\nsentinel_scripts_queue_length:0\r\nsentinel_simulate_failure_flags:0\r\nmaster0:name=%s,status=%s,address=%s,slaves=%d,sentinels=%d\r\n",
		tilt, seconds, masterName, status, m.Address(), len(x.Replicas()), 1+len(x.Others())))
}

// masterAddress is GET-MASTER-ADDR-BY-NAME.
func (x *Sentinel) masterAddress(c *client, args []string) {
	if args[0] != masterName {
		c.out.writeNoArray()
		return
	}
	host, port := split(x.Master().Address())
	c.out.WriteStrings([]string{host, port})
}

// split returns an address as host and port.
func split(address string) (host, port string) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		panic(err) // addresses are made by this package
	}
	return host, port
}

// named returns a subcommand whose first argument must be the name of the primary.
func named(run func(*Sentinel, *client)) func(*Sentinel, *client, []string) {
	return func(x *Sentinel, c *client, args []string) {
		if args[0] != masterName {
			c.out.WriteError("ERR No such master with that name")
			return
		}
		run(x, c)
	}
}

// instance is a sentinel's description of a server or of another sentinel: names and values in
// turn.
type instance []string

// describe begins the description of an instance.
func (x *Sentinel) describe(name, address, id, flags string) instance {
	host, port := split(address)
	return instance{
		"name", name, "ip", host, "port", port, "runid", id, "flags", flags,
		"link-pending-commands", "0", "link-refcount", "1",
		"last-ping-sent", "0", "last-ok-ping-reply", "0", "last-ping-reply", "0",
		"down-after-milliseconds", strconv.FormatInt(x.watch.rules.DownAfter.Milliseconds(), 10),
	}
}

func (i instance) write(out *output) {
	out.WriteMapLen(len(i) / 2)
	for _, s := range i {
		out.WriteBulk(s)
	}
}

// ofMaster describes the primary.
func (x *Sentinel) ofMaster() instance {
	m, flags := x.Master(), "master"
	switch {
	case x.Agreed():
		flags = "s_down,o_down,master"
	case x.TakesForDown(m):
		flags = "s_down,master"
	}
	return append(x.describe(masterName, m.Address(), m.RunID(), flags),
		"info-refresh", "0", "role-reported", "master", "role-reported-time", "0",
		"config-epoch", strconv.FormatInt(x.Config(), 10),
		"num-slaves", strconv.Itoa(len(x.Replicas())), "num-other-sentinels", strconv.Itoa(len(x.Others())),
		"quorum", strconv.Itoa(x.watch.rules.Quorum),
		"failover-timeout", strconv.FormatInt(x.watch.rules.FailoverTimeout.Milliseconds(), 10), "parallel-syncs", "1",
	)
}

func (x *Sentinel) master(c *client) { x.ofMaster().write(c.out) }

func (x *Sentinel) masters(c *client, _ []string) {
	c.out.WriteLen(1)
	x.ofMaster().write(c.out)
}

func (x *Sentinel) sentinels(c *client) {
	others := x.Others()
	c.out.WriteLen(len(others))
	for _, o := range others {
		leader, epoch := x.VoteOf(o)
		i := x.describe(o.ID, o.Address(), o.ID, "sentinel")
		append(i, "last-hello-message", "0", "voted-leader", cmp.Or(leader, "?"), "voted-leader-epoch", strconv.FormatInt(epoch, 10)).write(c.out)
	}
}

func (x *Sentinel) replicas(c *client) {
	list := x.Replicas()
	c.out.WriteLen(len(list))
	for _, n := range list {
		x.ofReplica(n).write(c.out)
	}
}

// ofReplica describes a replica.
func (x *Sentinel) ofReplica(n *Node) instance {
	flags := "slave"
	if x.TakesForDown(n) {
		flags = "s_down,slave,disconnected"
	}
	reported, link, source := "slave", "ok", n.Source()
	switch {
	case n.IsPrimary():
		reported = "master"
	case source == nil || !n.linked():
		link = "err"
	}
	host, port := "?", "0"
	if source != nil {
		host, port = split(source.Address())
	}
	return append(x.describe(n.Address(), n.Address(), n.RunID(), flags),
		"info-refresh", "0", "role-reported", reported, "role-reported-time", "0",
		"master-link-down-time", strconv.FormatInt(n.Unlinked().Milliseconds(), 10), "master-link-status", link, "master-host", host, "master-port", port,
		"slave-priority", strconv.Itoa(n.Priority()), "slave-repl-offset", strconv.FormatInt(n.Offset(), 10), "replica-announced", "1",
	)
}

// checkQuorum is CKQUORUM.
func (x *Sentinel) checkQuorum(c *client) {
	usable := 1
	for _, o := range x.Others() {
		if x.HearsOf(o) {
			usable++
		}
	}
	var lacks []string
	if usable < x.watch.rules.Quorum {
		lacks = append(lacks, "Not enough available Sentinels to reach the specified quorum for this master")
	}
	if usable <= (1+len(x.Others()))/2 {
		lacks = append(lacks, "Not enough available Sentinels to reach the majority and authorize a failover")
	}
	if len(lacks) > 0 {
		c.out.WriteError(fmt.Sprintf("NOQUORUM %d usable Sentinels. %s", usable, strings.Join(lacks, ". ")))
		return
	}
	c.out.WriteInline(fmt.Sprintf("OK %d usable Sentinels. Quorum and failover authorization can be reached", usable))
}

// failOver is FAILOVER, by order of an operator.
func (x *Sentinel) failOver(c *client) {
	if refused := x.Failover(); refused != "" {
		c.out.WriteError(refused)
		return
	}
	c.out.WriteOK()
}
