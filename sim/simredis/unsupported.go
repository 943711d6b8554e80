package simredis

import (
	"slices"
	"strings"
)

// A request that some version of the server supports, and that is answered with an error here, fails the run (see
// [sim.ServerConn.Refuse]): a command that is not in the table, an unsupported option, a part of Lua that is missing
// here. An error that Redis itself answers does not.

// unsupported fails the run, because a client uses a feature that the simulated Redis does not
// support.
func (c *client) unsupported(what string) {
	c.sock.Refuse(c.task, "the simulated Redis does not support "+what)
}

// handshakes are commands that client libraries send when they connect; if one fails, they assume an older server.
var handshakes = []string{"CLIENT MAINT_NOTIFICATIONS", "CLIENT CAPA", "CLIENT NO-EVICT", "CLIENT NO-TOUCH"}

// refuseUnknown fails the run for words that find rejects, if a server of another version may accept them. S is the
// result of find.
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

// syntaxError answers with a syntax error. If option is not empty, it is an unsupported option, and the run fails.
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

// refuseOption fails the run if the engine has answered with a syntax error, and the command has an option that the
// engine does not support: a word after its required ones.
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
