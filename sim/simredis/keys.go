package simredis

import (
	"slices"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2/server"
)

// del is DEL and UNLINK.
func (n *Node) del(r *request) {
	count := 0
	for _, key := range r.args {
		if n.lookup(key) != nil {
			n.remove(r, key)
			count++
		}
	}
	r.out.WriteInt(count)
}

// exists is EXISTS and TOUCH.
func (n *Node) exists(r *request) {
	count := 0
	for _, key := range r.args {
		if n.lookup(key) != nil {
			count++
		}
	}
	r.out.WriteInt(count)
}

func (n *Node) typeOf(r *request) {
	kind := "none"
	if e := n.lookup(r.args[0]); e != nil {
		kind = e.value.kind
	}
	r.out.WriteInline(kind)
}

// visible returns the node's keys that are not hidden, in order.
func (n *Node) visible() []string {
	return slices.DeleteFunc(n.data.keys(), func(key string) bool { return n.data[key].hidden })
}

func (n *Node) keys(r *request) {
	r.out.WriteStrings(slices.DeleteFunc(n.visible(), func(key string) bool { return !glob(r.args[0], key) }))
}

func (n *Node) randomKey(r *request) {
	keys := n.visible()
	if len(keys) == 0 {
		r.out.WriteNull()
		return
	}
	r.out.WriteBulk(keys[n.draws().IntN(len(keys))])
}

// draw executes a command that draws random numbers by the engine, with the node's
// random source in place of the process-wide one.
func (n *Node) draw(r *request) {
	option := map[string]string{"hrandfield": "withvalues", "zrandmember": "withscores"}[r.name]
	if option != "" && len(r.args) > 2 && (len(r.args) > 3 || !strings.EqualFold(r.args[2], option)) {
		if _, isNumber := integer(r.args[1]); isNumber { // the engine has other words for this
			r.out.WriteError(errSyntax)
			return
		}
	}
	n.start().Seed(n.draws().Int())
	n.byEngine(r)
}

// rename is RENAME and RENAMENX. The request that renames owns the value from then
// on.
func (n *Node) rename(r *request) {
	from, to := r.args[0], r.args[1]
	e := n.lookup(from)
	refused := r.name == "renamenx" && n.lookup(to) != nil
	if e != nil && from != to && !refused {
		n.remove(r, from)
		n.put(r, to, e.value, e.expires)
	}
	switch {
	case e == nil:
		r.out.WriteError("ERR no such key")
	case r.name == "rename":
		r.out.WriteOK()
	case refused:
		r.out.WriteInt(0)
	default:
		r.out.WriteInt(1)
	}
}

func (n *Node) copyKey(r *request) {
	from, to, replace := r.args[0], r.args[1], false
	for options := r.args[2:]; len(options) > 0; options = options[1:] {
		switch o := strings.ToLower(options[0]); {
		case o == "replace":
			replace = true
		case o == "db" && len(options) > 1:
			options = options[1:]
			if options[0] != "0" {
				r.otherDatabase(n, options[0], "ERR Copying to another database is not allowed in cluster mode")
				return
			}
		case o == "db":
			r.syntaxError("")
			return
		default:
			r.syntaxError(options[0])
			return
		}
	}
	e := n.lookup(from)
	switch {
	case from == to:
		r.out.WriteError("ERR source and destination objects are the same")
	case e == nil || n.lookup(to) != nil && !replace:
		r.out.WriteInt(0)
	default:
		n.put(r, to, e.value, e.expires)
		r.out.WriteInt(1)
	}
}

// flush is FLUSHALL and FLUSHDB.
func (n *Node) flush(r *request) {
	if len(r.args) > 1 || len(r.args) == 1 && !isOneOf(r.args[0], "async", "sync") {
		r.out.WriteError(errSyntax)
		return
	}
	before := n.tracks.changed
	n.tracks.changed = nil
	n.invalidateAll()
	for _, key := range n.data.keys() {
		n.remove(r, key)
	}
	n.tracks.changed = before
	r.out.WriteOK()
}

// isOneOf compares a word with lower-case ones.
func isOneOf(word string, list ...string) bool {
	return slices.Contains(list, strings.ToLower(word))
}

// combine is SDIFF, SINTER and SUNION, which the engine answers in the order
// of a map, and their forms that store the result.
func (n *Node) combine(r *request) {
	operation, store := strings.CutSuffix(r.name, "store")
	keys := r.args
	if store {
		keys = keys[1:]
	}
	var members []string
	for i, key := range keys {
		e := n.lookup(key)
		if e == nil {
			e = &entry{value: value{kind: "set"}}
		}
		set := e.value.items
		own := func(m string) bool { return slices.Contains(set, m) }
		foreign := func(m string) bool { return !own(m) }
		switch {
		case e.value.kind != "set":
			r.out.WriteError(errWrongType)
			return
		case i == 0:
			members = slices.Clone(set)
		case operation == "sinter":
			members = slices.DeleteFunc(members, foreign)
		case operation == "sdiff":
			members = slices.DeleteFunc(members, own)
		default:
			members = append(slices.DeleteFunc(members, own), set...)
		}
	}
	slices.Sort(members)
	if store {
		n.storeSet(r, members)
		return
	}
	r.out.Block(func(w *server.Writer) {
		w.WriteSetLen(len(members))
		for _, m := range members {
			w.WriteBulk(m)
		}
	})
}

func (n *Node) storeSet(r *request, members []string) {
	if len(members) > 0 {
		n.put(r, r.args[0], value{kind: "set", items: members}, time.Time{})
	} else {
		n.remove(r, r.args[0])
	}
	r.out.WriteInt(len(members))
}

// popNone executes ZPOPMIN and ZPOPMAX, because the engine pops one member if none is
// asked for.
func (n *Node) popNone(r *request) {
	e := n.lookup(r.args[0])
	if len(r.args) == 2 && r.args[1] == "0" && (e == nil || e.value.kind == "zset") {
		r.out.WriteLen(0)
		return
	}
	n.byEngine(r)
}

// store lets the engine store a result under a temporary key and moves it to the
// destination, which the engine would not clear completely.
func (n *Node) store(r *request) {
	const elsewhere = "\x00result"
	args := slices.Clone(r.args)
	destination := &args[0]
	if r.name == "bitop" {
		destination = &args[1]
	}
	key := *destination
	*destination = elsewhere
	mark := r.out.mark()
	n.dispatch(r.out, r.name, args...)
	v := n.read(elsewhere)
	n.engine.DB(0).Del(elsewhere)
	switch {
	case r.out.since(mark)[0] == '-':
	case v.kind == "":
		n.remove(r, key)
	default:
		n.put(r, key, v, time.Time{})
	}
}
