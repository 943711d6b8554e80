package simzk

import (
	"strings"
	"time"

	"pgregory.net/rapid"
)

// What requests are made of: few znodes, so that they meet, and some that never
// can be. R stands for the script's own znode.
var (
	somePath = rapid.SampledFrom(strings.Fields(`
		R/a R/a R/a R/b R/b R R/c R/a/x R/a/x R/a/y R/a/x/p R/b/x R/b/n-
		R/a/0000000000 R/a/n-0000000000 R/a/n-0000000001 R/a/n-0000000002 R/a/n-0000000003 R/b/n-0000000001 R/n-0000000004`))
	badPath = rapid.SampledFrom([]string{
		"R/a/", "R//a", "R/a//x", "R/.", "R/a/..", "R/./a", "R/..a", "R/a...", "a", "no/slash", "R/a\x00b", "R/a/b\x7f",
		"R/ü", "R/a/\u0085", "R/\u2028", "R/\ue000", "R/😀", "R/a\xff", "R/\x1f", "/zookeeper/config", "/zookeeper/config/x",
	})
	someData  = rapid.SampledFrom([][]byte{nil, {}, []byte("x"), []byte("some data")})
	anyTime   = rapid.SampledFrom([]int32{-1, -1, -1, -1, 0, 0, 1, 2, 3, -2})
	someFlags = rapid.SampledFrom([]createFlags{
		0, 0, 0, flagEphemeral, flagEphemeral, flagSequential, flagSequential, flagEphemeral | flagSequential, flagEphemeral | flagSequential, 5, 6, 7, -1,
	})
	someACL = rapid.SampledFrom([][]acl{
		world(permAll), world(permAll), world(permAll), world(permAll), world(permAll), world(permAll), world(permAll), world(permAll),
		world(permRead), world(permAll &^ permRead), world(permWrite | permDelete), world(0), nil,
		append(world(permAll), world(permAll)...), append(world(permRead), world(permWrite)...),
		{{permAll, "world", "all"}}, {{permAll, "auth", ""}}, {{permAll, "none", "x"}}, append(world(permAll), acl{permAll, "none", "x"}),
	})
	someRead   = rapid.SampledFrom([]opcode{opExists, opExists, opGetData, opGetData, opGetChildren, opGetChildren2, opGetChildren2, opGetACL, opSync, opPing})
	someWrite  = rapid.SampledFrom([]opcode{opCreate, opCreate, opCreate, opCreate2, opCreate2, opDelete, opDelete, opSetData, opSetData, opSetACL})
	inMulti    = rapid.SampledFrom([]opcode{opCreate, opCreate, opCreate2, opDelete, opSetData, opSetData, opCheck, opCheck})
	longAgo    = rapid.SampledFrom([]int64{0, 0, -1, -2, -5, -100})
	oneInAFew  = rapid.SampledFrom([]bool{false, false, false, true})
	oneInTen   = rapid.SampledFrom(append(make([]bool, 9), true))
	oneInMany  = rapid.SampledFrom(append(make([]bool, 39), true))
	whatOthers = rapid.SampledFrom([]action{
		nothing, ask, ask, ask, ask, ask, ask, ask, ask, ask, ask, ask, ask, ask, ask, ask, ask, ask, ask, ask,
		drop, drop, reopen, reopen, reopen, reopen, intrude, finish, expire, idle,
	})
)

// drawScript draws a script of so many commands of a few clients, the first of
// which stays connected. Their root is still called R.
func drawScript(rt *rapid.T, commands, clients int) (script []command) {
	for range commands {
		c := command{client: rapid.IntRange(0, clients-1).Draw(rt, "client"), what: ask}
		if c.client > 0 {
			c.what = whatOthers.Draw(rt, "what")
		}
		switch c.what {
		case ask:
			if c.client > 0 && oneInMany.Draw(rt, "last") {
				// The server closes the connection.
				c.requests = []*request{{op: rapid.SampledFrom([]opcode{opSetAuth, 77}).Draw(rt, "op")}}
			} else {
				c.requests = drawRequests(rt)
			}
		case reopen:
			c.watches = drawWatches(rt)
			c.timeout = rapid.SampledFrom([]time.Duration{longSession, time.Hour, 50 * time.Second}).Draw(rt, "timeout")
		}
		script = append(script, c)
	}
	return script
}

// drawRequests draws what a client sends at once.
func drawRequests(rt *rapid.T) (requests []*request) {
	n := 1
	if oneInAFew.Draw(rt, "several") {
		n = rapid.IntRange(2, 5).Draw(rt, "requests")
	}
	for range n {
		var r *request
		switch rapid.IntRange(0, 9).Draw(rt, "kind") {
		default:
			r = drawRequest(rt, someRead.Draw(rt, "read"))
			r.watch = rapid.Bool().Draw(rt, "watch")
		case 5, 6, 7:
			r = drawRequest(rt, someWrite.Draw(rt, "write"))
		case 8:
			r = drawMulti(rt)
		case 9:
			if r = drawWatches(rt); r == nil {
				r = &request{op: opPing}
			}
		}
		r.malformed = r.op != opPing && oneInMany.Draw(rt, "malformed")
		requests = append(requests, r)
	}
	return requests
}

func drawPath(rt *rapid.T) string {
	if oneInTen.Draw(rt, "bad") {
		return badPath.Draw(rt, "path")
	}
	return somePath.Draw(rt, "path")
}

func drawRequest(rt *rapid.T, op opcode) *request {
	r := &request{op: op, path: drawPath(rt)}
	switch op {
	case opSync: // Java repeats emojis in an encoding of its own
		r.path = somePath.Draw(rt, "path")
	case opCreate, opCreate2:
		r.data, r.flags, r.acl = someData.Draw(rt, "data"), someFlags.Draw(rt, "flags"), someACL.Draw(rt, "ACL")
		// The root's counter is not the script's own.
		if r.flags&flagSequential != 0 && (rapid.Bool().Draw(rt, "name") || !strings.HasPrefix(r.path, "R/")) {
			r.path += "/n-"
		}
	case opSetData:
		r.data, r.version = someData.Draw(rt, "data"), anyTime.Draw(rt, "version")
	case opSetACL:
		r.acl, r.version = someACL.Draw(rt, "ACL"), anyTime.Draw(rt, "version")
	case opDelete, opCheck:
		r.version = anyTime.Draw(rt, "version")
	}
	return r
}

func drawMulti(rt *rapid.T) *request {
	r := &request{op: opMulti}
	for range rapid.IntRange(0, 4).Draw(rt, "operations") {
		op := inMulti.Draw(rt, "operation")
		if oneInMany.Draw(rt, "impossible") {
			op = opSetACL
		}
		one := drawRequest(rt, op)
		if one.flags > lastServedKind {
			one.flags = lastKind + 1 // a server has no clear answer to a time to live in a multi
		}
		r.ops = append(r.ops, one)
	}
	return r
}

// drawWatches draws a request to set watches, or nil.
func drawWatches(rt *rapid.T) *request {
	op := rapid.SampledFrom([]opcode{0, opSetWatches, opSetWatches, opSetWatches2}).Draw(rt, "watches")
	if op == 0 {
		return nil
	}
	paths := rapid.SliceOfN(somePath, 0, 3)
	return &request{
		op: op, lastZxid: longAgo.Draw(rt, "last zxid"),
		dataWatches: paths.Draw(rt, "data"), existWatches: paths.Draw(rt, "exists"), childWatches: paths.Draw(rt, "children"),
	}
}

// below returns the script with another root for R.
func below(root string, script []command) (list []command) {
	for _, c := range script {
		c.requests = requestsBelow(root, c.requests)
		if c.watches != nil {
			c.watches = requestsBelow(root, []*request{c.watches})[0]
		}
		list = append(list, c)
	}
	return list
}

func requestsBelow(root string, requests []*request) (list []*request) {
	path := func(p string) string {
		if tail, ok := strings.CutPrefix(p, "R"); ok {
			return root + tail
		}
		return p
	}
	paths := func(all []string) (list []string) {
		for _, p := range all {
			list = append(list, path(p))
		}
		return list
	}
	for _, r := range requests {
		r := *r
		r.path = path(r.path)
		r.dataWatches, r.existWatches, r.childWatches = paths(r.dataWatches), paths(r.existWatches), paths(r.childWatches)
		r.ops = requestsBelow(root, r.ops)
		list = append(list, &r)
	}
	return list
}
