package simredis

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// positions are the positions of a command's keys among its words: first, last and step as COMMAND reports
// them. Numbers below 0 count from the end. First is 0 if the command has no keys there.
type positions struct {
	first, last, step int
	// counted is the position of the number of keys, which precedes them; 0 if the command has no such number.
	counted int
}

// info is the information that COMMAND reports of a command, without its arity.
type info struct {
	positions
	flags []string
}

// infoTable has the positions of keys, the flags and then the commands. A number behind the step is where the
// command counts its keys.
const infoTable = `
	0 0 0: script client cluster
	0 0 0 fast: ping asking
	0 0 0 loading stale: info command
	0 0 0 loading stale fast: echo select time readonly readwrite
	0 0 0 noscript: script|exists script|flush wait
	0 0 0 noscript loading stale: client|caching client|getname client|getredir client|id client|no-touch
	0 0 0 admin noscript loading stale: client|no-evict
	0 0 0 noscript loading stale: client|setname client|setinfo client|tracking client|trackinginfo
	0 0 0 noscript loading stale fast: role
	0 0 0 noscript loading stale fast allow_busy: discard multi unwatch
	0 0 0 noscript loading stale fast no_auth allow_busy: auth hello quit
	0 0 0 noscript loading stale skip_slowlog: exec
	0 0 0 noscript stale: script|load
	0 0 0 2 noscript stale skip_monitor no_mandatory_keys movablekeys: eval evalsha
	0 0 0 2 readonly noscript stale skip_monitor no_mandatory_keys movablekeys: eval_ro evalsha_ro
	0 0 0 pubsub loading stale fast: publish
	0 0 0 pubsub noscript loading stale: psubscribe punsubscribe subscribe unsubscribe
	0 0 0 readonly: keys randomkey scan
	0 0 0 readonly fast: dbsize
	0 0 0 1 readonly movablekeys: sintercard zunion
	0 0 0 write: flushall flushdb
	0 0 0 1 write movablekeys: lmpop zmpop
	1 -1 1 noscript loading stale fast allow_busy: watch
	1 -1 1 pubsub noscript loading stale: ssubscribe sunsubscribe
	1 -1 1 readonly: sdiff sinter sunion
	1 -1 1 readonly fast: mget exists touch
	1 -1 1 write: del
	1 -1 1 write denyoom: sdiffstore sinterstore sunionstore
	1 -1 1 write fast: unlink
	1 -1 2 write denyoom: mset msetnx
	1 1 1 pubsub loading stale fast: spublish
	1 1 1 readonly: bitcount bitpos getrange hgetall hkeys hrandfield hscan hvals lindex lpos lrange smembers srandmember
	1 1 1 readonly: sscan zrandmember zrange zrangebylex zrangebyscore zrevrange zrevrangebylex zrevrangebyscore zscan
	1 1 1 readonly fast: get digest getbit strlen expiretime pexpiretime pttl ttl type hexists hget hlen hmget hstrlen llen scard
	1 1 1 readonly fast: sismember smismember zcard zcount zlexcount zmscore zrank zrevrank zscore
	1 1 1 write: lrem ltrim zremrangebylex zremrangebyrank zremrangebyscore
	1 1 1 write denyoom: psetex set setbit setex setrange linsert lset
	1 1 1 write denyoom fast: append decr decrby getset incr incrby incrbyfloat setnx hincrby hincrbyfloat hmset hset
	1 1 1 write denyoom fast: hsetnx lpush lpushx rpush rpushx sadd zadd zincrby
	1 1 1 2 write denyoom movablekeys: zinterstore zunionstore
	1 1 1 write fast: getdel getex expire expireat persist pexpire pexpireat hdel lpop rpop spop srem zpopmax zpopmin zrem
	1 1 1 write fast: cad delex delifeq
	1 1 1 write denyoom asking: restore-asking
	1 2 1 write: rename
	1 2 1 write denyoom: copy lmove rpoplpush
	1 2 1 write fast: renamenx smove
	2 -1 1 write denyoom: bitop
	3 3 1 write movablekeys: migrate
	0 0 0 stale: cluster|countkeysinslot cluster|getkeysinslot cluster|info cluster|keyslot cluster|myid cluster|nodes
	0 0 0 stale: cluster|shards cluster|slots
	0 0 0 admin stale: cluster|count-failure-reports cluster|replicas cluster|slaves
	0 0 0 admin stale no_async_loading: cluster|setslot cluster|bumpepoch cluster|failover
	0 0 0 loading stale: command|count command|info command|getkeys
`

// infos are the entries of infoTable by the names of commands.
var infos = parseInfos(infoTable)

func parseInfos(table string) map[string]info {
	all := map[string]info{}
	for line := range strings.Lines(strings.TrimSpace(table)) {
		head, names, _ := strings.Cut(line, ":")
		words := strings.Fields(head)
		var numbers [4]int
		n := 0
		for ; n < len(numbers) && n < len(words); n++ {
			v, err := strconv.Atoi(words[n])
			if err != nil {
				break
			}
			numbers[n] = v
		}
		i := info{positions{numbers[0], numbers[1], numbers[2], numbers[3]}, words[n:]}
		for _, name := range strings.Fields(names) {
			all[name] = i
		}
	}
	return all
}

// keysOf returns the keys among the arguments of a command, in order.
func (s *spec) keysOf(args []string) (keys []string) {
	p := infos[s.name].positions
	if p.first > 0 {
		last := p.last
		if last < 0 {
			last += 1 + len(args)
		}
		for i := p.first; i <= last && i <= len(args); i += p.step {
			keys = append(keys, args[i-1])
		}
	}
	if s.name == "migrate" && len(keys) > 0 && keys[0] == "" {
		if i := slices.IndexFunc(args, func(a string) bool { return strings.EqualFold(a, "keys") }); i >= 0 {
			return args[i+1:]
		}
	}
	if p.counted > 0 && p.counted <= len(args) {
		n, ok := integer(args[p.counted-1])
		if rest := args[p.counted:]; ok && n > 0 && n <= int64(len(rest)) {
			keys = append(keys, rest[:n]...)
		}
	}
	return keys
}

// command is COMMAND: all commands of the table, in the order of their names. Categories, tips, specifications of
// keys and subcommands are left empty: clients find keys by their positions.
func (n *Node) command(r *request) {
	all := allCommands
	if r.out.Resp3 {
		all = allCommandsResp3
	}
	_, _ = r.out.w.Write(all()) // to memory
}

// allCommands is the answer to COMMAND, kept because every cluster client of every run
// asks for it.
var (
	allCommands      = sync.OnceValue(func() []byte { return describeAll(false) })
	allCommandsResp3 = sync.OnceValue(func() []byte { return describeAll(true) })
)

func describeAll(resp3 bool) []byte {
	r := &request{out: newOutput()}
	r.out.Resp3 = resp3
	names := tableNames()
	r.out.WriteLen(len(names))
	for _, name := range names {
		r.describe(name)
	}
	return r.out.take()
}

// tableNames returns the names of the table without subcommands, in order.
func tableNames() (names []string) {
	for name := range specs { // unordered: sorted below
		if !strings.Contains(name, "|") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// describe answers with the information about a command, or null if it does not exist.
func (r *request) describe(name string) {
	s := specs[strings.ToLower(name)]
	if s == nil {
		r.out.WriteNull()
		return
	}
	i := infos[s.name]
	r.out.WriteLen(10)
	r.out.WriteBulk(s.name)
	r.out.WriteInt(s.arity)
	r.out.WriteSetLen(len(i.flags))
	for _, f := range i.flags {
		r.out.WriteInline(f)
	}
	for _, position := range []int{i.first, i.last, i.step} {
		r.out.WriteInt(position)
	}
	r.out.WriteSetLen(0)
	r.out.WriteSetLen(0)
	r.out.WriteSetLen(0)
	r.out.WriteLen(0)
}

func (n *Node) commandCount(r *request) { r.out.WriteInt(len(tableNames())) }

func (n *Node) commandInfo(r *request) {
	names := r.args
	if len(names) == 0 {
		names = tableNames()
	}
	r.out.WriteLen(len(names))
	for _, name := range names {
		r.describe(name)
	}
}

// commandGetKeys is COMMAND GETKEYS.
func (n *Node) commandGetKeys(r *request) {
	s, reason := find(r.args)
	if s == nil {
		r.out.WriteError("ERR Invalid command specified")
		return
	}
	keys := s.keysOf(r.args[1:])
	i := infos[s.name]
	switch {
	case i.first == 0 && i.counted == 0:
		r.out.WriteError("ERR The command has no key arguments")
	case reason != "":
		r.out.WriteError("ERR Invalid number of arguments specified for command")
	case len(keys) == 0 && !slices.Contains(i.flags, "no_mandatory_keys"):
		r.out.WriteError("ERR Invalid arguments specified for command")
	default:
		r.out.WriteStrings(keys)
	}
}
