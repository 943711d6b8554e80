package simredis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2/server"
)

// The commands that concern a connection or the server, not keys.

const (
	errBadName  = "ERR Client names cannot contain spaces, newlines or special characters."
	errPassword = "WRONGPASS invalid username-password pair or user is disabled."
)

// printable reports whether a name is allowed for a client or a library.
func printable(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c < '!' || c > '~' }) < 0
}

// auth accepts the default user with any password, as Redis does while no password
// is set.
func (n *Node) auth(r *request) {
	switch {
	case len(r.args) > 2:
		r.out.WriteError(errSyntax)
	case len(r.args) == 1:
		r.out.WriteError("ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?")
	case r.args[0] != "default":
		r.out.WriteError(errPassword)
	default:
		r.out.WriteOK()
	}
}

func (n *Node) hello(r *request) {
	if resp, ok := r.conn.hello(r.out, r.args); ok {
		n.introduce(r, resp)
	}
}

// hello applies the arguments of HELLO: the version of the protocol, and a name. If they are
// wrong, it answers with an error.
func (c *client) hello(out *output, args []string) (resp int, ok bool) {
	resp, name := protocol(out), c.name
	if len(args) > 0 {
		v, ok := integer(args[0])
		if !ok {
			out.WriteError("ERR Protocol version is not an integer or out of range")
			return 0, false
		}
		if resp = int(v); resp != 2 && resp != 3 {
			out.WriteError("NOPROTO unsupported protocol version")
			return 0, false
		}
	}
	for options := args[min(1, len(args)):]; len(options) > 0; {
		o := strings.ToLower(options[0])
		switch {
		case o == "auth" && len(options) > 2:
			if options[1] != "default" {
				out.WriteError(errPassword)
				return 0, false
			}
			options = options[3:]
		case o == "setname" && len(options) > 1:
			if name = options[1]; !printable(name) {
				out.WriteError(errBadName)
				return 0, false
			}
			options = options[2:]
		default:
			out.WriteError(fmt.Sprintf("ERR Syntax error in HELLO option '%s'", options[0]))
			return 0, false
		}
	}
	out.Resp3, c.name = resp == 3, name
	return resp, true
}

// mode returns the server's mode for INFO and HELLO.
func (n *Node) mode() string {
	if n.member != nil {
		return "cluster"
	}
	return "standalone"
}

func protocol(o *output) int {
	if o.Resp3 {
		return 3
	}
	return 2
}

// introduce is HELLO's answer.
func (n *Node) introduce(r *request, resp int) {
	role := "master"
	if !n.IsPrimary() {
		role = "replica"
	}
	w := r.out
	product, number := n.cluster.options.Version.product()
	w.WriteMapLen(7)
	for _, s := range []string{"server", product, "version", number, "proto"} {
		w.WriteBulk(s)
	}
	w.WriteInt(resp)
	w.WriteBulk("id")
	w.WriteInt(r.conn.sock.ID())
	for _, s := range []string{"mode", n.mode(), "role", role, "modules"} {
		w.WriteBulk(s)
	}
	w.WriteLen(0)
}

func (n *Node) ping(r *request) { r.conn.ping(r.out, r.args) }

func (c *client) ping(out *output, args []string) {
	switch {
	case len(args) > 1:
		out.WriteError("ERR wrong number of arguments for 'ping' command")
	case c.channels+c.sharded > 0 && !c.out.Resp3:
		out.WriteStrings([]string{"pong", strings.Join(args, "")})
	case len(args) == 1:
		out.WriteBulk(args[0])
	default:
		out.WriteInline("PONG")
	}
}

func (n *Node) quit(r *request) {
	r.out.WriteOK()
	r.conn.closed = true
}

func (n *Node) selectDB(r *request) {
	switch db, ok := integer(r.args[0]); {
	case !ok:
		r.out.WriteError(errInteger)
	case db != 0:
		r.otherDatabase(n, r.args[0], errNoSelect)
	default:
		r.out.WriteOK()
	}
}

// otherDatabase answers a command on a database other than 0 with an error. A Redis Cluster has no other one.
func (r *request) otherDatabase(n *Node, number, inCluster string) {
	if n.member != nil {
		r.out.WriteError(inCluster)
		return
	}
	if !strings.HasPrefix(number, "-") {
		r.conn.unsupported("other databases than 0: " + strings.ToUpper(r.name) + " of " + number)
	}
	r.out.WriteError(errOneDatabase)
}

func (n *Node) clientGetName(r *request) { r.conn.getName(r.out) }

func (n *Node) clientID(r *request) { r.out.WriteInt(r.conn.sock.ID()) }

func (n *Node) clientSetName(r *request) { r.conn.setName(r.out, r.args[0]) }

func (n *Node) clientSetInfo(r *request) { setInfo(r.out, r.args[0], r.args[1]) }

func (c *client) getName(out *output) {
	if c.name == "" {
		out.WriteNull()
		return
	}
	out.WriteBulk(c.name)
}

func (c *client) setName(out *output, name string) {
	if !printable(name) {
		out.WriteError(errBadName)
		return
	}
	c.name = name
	out.WriteOK()
}

func (n *Node) clientNo(r *request) { onOrOff(r.out, r.args[0]) }

// onOrOff is CLIENT NO-EVICT and NO-TOUCH: nothing is evicted.
func onOrOff(out *output, setting string) {
	if !isOneOf(setting, "on", "off") {
		out.WriteError(errSyntax)
		return
	}
	out.WriteOK()
}

// setInfo stores nothing: there is no CLIENT LIST.
func setInfo(out *output, option, value string) {
	switch {
	case !isOneOf(option, "lib-name", "lib-ver"):
		out.WriteError(fmt.Sprintf("ERR Unrecognized option '%s'", option))
	case !printable(value):
		out.WriteError(fmt.Sprintf("ERR %s cannot contain spaces, newlines or special characters.", option))
	default:
		out.WriteOK()
	}
}

// time is the node's clock, in whole milliseconds.
func (n *Node) time(r *request) {
	micros := n.now().Sub(time.Unix(0, 0)).Microseconds()
	r.out.WriteStrings([]string{strconv.FormatInt(micros/1e6, 10), strconv.FormatInt(micros%1e6, 10)})
}

func (n *Node) info(r *request) {
	asks := func(names ...string) bool {
		return slices.ContainsFunc(r.args, func(a string) bool { return isOneOf(a, names...) })
	}
	wants := func(section string) bool {
		return len(r.args) == 0 || asks(section, "default", "all", "everything")
	}
	var sections []string
	if wants("server") {
		v := n.cluster.options.Version
		text := fmt.Sprintf("# Server\r\nredis_version:%s\r\nredis_mode:%s\r\n", v.number(), n.mode())
		if name, number := v.product(); v == Valkey9 {
			text += fmt.Sprintf("server_name:%s\r\nvalkey_version:%s\r\n", name, number)
		}
		sections = append(sections, text)
	}
	if wants("replication") {
		sections = append(sections, n.replicationInfo())
	}
	if asks("commandstats", "all", "everything") {
		sections = append(sections, n.countsInfo())
	}
	r.out.WriteBulk(strings.Join(sections, "\r\n"))
}

func (n *Node) replicationInfo() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\r\n", args...) }
	line("# Replication")
	if n.IsPrimary() {
		line("role:master")
	} else {
		host, port, _ := strings.Cut(n.Source().Address(), ":")
		line("role:slave\r\nmaster_host:%s\r\nmaster_port:%s", host, port)
		line("master_link_status:%s", map[bool]string{true: "up", false: "down"}[n.linked()])
		line("master_sync_in_progress:%d", map[bool]int{true: 1}[n.Copying()])
		line("slave_repl_offset:%d\r\nslave_read_only:1", n.Position)
	}
	line("connected_slaves:%d", len(n.Replicas))
	for i, l := range n.Replicas {
		host, port, _ := strings.Cut(l.Replica.Address(), ":")
		state := map[bool]string{true: "send_bulk", false: "online"}[l.Replica.Copying()]
		// The lag is in seconds since the replica was last heard of.
		line("slave%d:ip=%s,port=%s,state=%s,offset=%d,lag=0", i, host, port, state, l.Replica.Position)
	}
	line("master_repl_offset:%d", n.Position)
	return b.String()
}

// linked reports whether a replica has a source that is up, and its data.
func (n *Node) linked() bool { return !n.Source().Down() && !n.Copying() }

func (n *Node) role(r *request) {
	r.out.Block(func(w *server.Writer) {
		if n.IsPrimary() {
			n.masterRole(w)
			return
		}
		host, port, _ := strings.Cut(n.Source().Address(), ":")
		number, _ := strconv.Atoi(port) // made by Cluster.address
		state := "connected"
		switch {
		case n.Source().Down():
			state = "connect"
		case n.Copying():
			state = "sync"
		}
		w.WriteLen(5)
		w.WriteBulk("slave")
		w.WriteBulk(host)
		w.WriteInt(number)
		w.WriteBulk(state)
		w.WriteInt(int(n.Position))
	})
}

// masterRole lists the replicas that have been loaded.
func (n *Node) masterRole(w *server.Writer) {
	var online []*Node
	for _, l := range n.Replicas {
		if !l.Replica.Copying() {
			online = append(online, l.Replica.Server)
		}
	}
	w.WriteLen(3)
	w.WriteBulk("master")
	w.WriteInt(int(n.Position))
	w.WriteLen(len(online))
	for _, r := range online {
		host, port, _ := strings.Cut(r.Address(), ":")
		w.WriteStrings([]string{host, port, strconv.FormatInt(r.Position, 10)})
	}
}
