package simredis

import (
	"slices"
	"strings"
)

// What is answered with an error though a server of some version knows it fails the run (see [sim.ServerConn.Refuse]): a
// command that is not in the table, an option that is not read, a part of Lua that scripts do not find here. An error that
// Redis itself answers is an answer like any other.

// unsupported fails the run: a client has asked for what the simulated Redis does not support.
func (c *client) unsupported(what string) {
	c.sock.Refuse(c.task, "the simulated Redis does not support "+what)
}

// handshakes are commands that client libraries send when they connect, and whose failure they take for that of an older server.
var handshakes = []string{"CLIENT MAINT_NOTIFICATIONS", "CLIENT CAPA", "CLIENT NO-EVICT", "CLIENT NO-TOUCH"}

// refuseUnknown fails the run for words that find does not approve of, if a server of another version may. S is what find has found.
func (c *client) refuseUnknown(s *spec, words []string) {
	name := strings.ToUpper(words[0])
	switch {
	case s != nil && isOneOf(name, "zrank", "zrevrank") && len(words) > s.arity:
		c.unsupported(name + " with an option") // since 7.2
	case s != nil || strings.Contains(name, "|"): // Redis refuses it as well
		return
	}
	if group := specs[strings.ToLower(name)]; group != nil && group.sub && len(words) > 1 {
		name += " " + strings.ToUpper(words[1])
	}
	if s == nil && !slices.Contains(handshakes, name) {
		c.unsupported(name)
	}
}

// syntaxError answers that the options of a command make no sense. An option that is not read, empty if all are, fails the run.
func (r *request) syntaxError(option string) {
	if option != "" {
		r.conn.unsupported("the option " + option + " of " + strings.ToUpper(r.name))
	}
	r.out.WriteError(errSyntax)
}

// engineOptions are the options that the engine reads.
var engineOptions = map[string]string{
	"bitcount": "bit byte", "bitpos": "bit byte", "linsert": "before after", "lmove": "left right", "lmpop": "left right count",
	"lpos": "rank count maxlen", "sintercard": "limit", "zmpop": "min max count", "zrange": "byscore bylex rev limit withscores",
	"zrangebyscore": "withscores limit", "zrevrangebyscore": "withscores limit", "zrangebylex": "limit", "zrevrangebylex": "limit",
	"zrevrange": "withscores", "zunion": "weights aggregate sum min max withscores", "zunionstore": "weights aggregate sum min max",
	"zinterstore": "weights aggregate sum min max", "scan": "match count type", "hscan": "match count", "sscan": "match count",
	"zscan": "match count", "hrandfield": "withvalues", "zrandmember": "withscores",
}

// refuseOption fails the run if the engine has answered with a syntax error, and there is an option that it does not read: a word
// behind those that each such command has.
func (r *request) refuseOption(reply []byte) {
	if !strings.HasPrefix(string(reply), "-"+errSyntax) {
		return
	}
	arity := r.arity
	if arity < 0 {
		arity = -arity
	}
	known := strings.Fields(engineOptions[r.name])
	for _, word := range r.args[min(arity-1, len(r.args)):] {
		if _, number := parseScore(word); !number && !isOneOf(word, known...) {
			r.conn.unsupported("the option " + word + " of " + strings.ToUpper(r.name))
			return
		}
	}
}
