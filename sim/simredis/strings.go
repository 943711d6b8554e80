package simredis

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/xxh3"
)

// stringAt returns the entry of a key for a string command, nil if there is none. If it
// is not a string, stringAt answers with an error, and ok is false.
func (n *Node) stringAt(r *request, key string) (e *entry, ok bool) {
	e = n.lookup(key)
	if e != nil && e.value.kind != "string" {
		r.out.WriteError(errWrongType)
		return e, false
	}
	return e, true
}

func (r *request) writeText(e *entry) {
	if e == nil {
		r.out.WriteNull()
	} else {
		r.out.WriteBulk(e.value.text)
	}
}

func (n *Node) get(r *request) {
	if e, ok := n.stringAt(r, r.args[0]); ok {
		r.writeText(e)
	}
}

// lifetime has the options of SET and GETEX.
type lifetime struct {
	nx, xx, get   bool
	keep, persist bool
	unit          time.Duration // zero if they give no expiry
	absolute      bool
	amount        string
	condition     condition
	unknown       string // an option that is not read
}

// condition compares the string at a key: IFEQ and IFNE with a given one, IFDEQ and IFDNE its digest with a given one. There is
// none if the option is empty.
type condition struct{ option, given string }

// holds reports whether what is at a key, nil if nothing is, meets the condition.
func (c condition) holds(e *entry) bool {
	unless := c.option == "ifne" || c.option == "ifdne"
	switch {
	case e == nil:
		return unless
	case c.digests():
		return (digestOf(e.value.text) == c.given) != unless
	}
	return (e.value.text == c.given) != unless
}

func (c condition) digests() bool { return c.option == "ifdeq" || c.option == "ifdne" }

// wellFormed reports whether the condition has a digest where it needs one. The documentation does not say how Redis answers
// others, so they are refused.
func (c condition) wellFormed(r *request) bool {
	if !c.digests() || len(c.given) == 16 && strings.Trim(c.given, "0123456789abcdef") == "" {
		return true
	}
	r.conn.unsupported("a digest other than 16 hexadecimal digits in lower case, in " + strings.ToUpper(c.option))
	r.out.WriteError(errSyntax)
	return false
}

// digestOf is what DIGEST answers for a string: its XXH3 of 64 bits, with seed 0.
func digestOf(s string) string { return fmt.Sprintf("%016x", xxh3.HashString(s)) }

func (n *Node) digest(r *request) {
	switch e, ok := n.stringAt(r, r.args[0]); {
	case !ok:
	case e == nil:
		r.out.WriteNull()
	default:
		r.out.WriteBulk(digestOf(e.value.text))
	}
}

// permits reports whether what is at a key is as SET wants it to be.
func (l *lifetime) permits(old *entry) bool {
	if l.condition.option != "" {
		return l.condition.holds(old)
	}
	return !(l.nx && old != nil || l.xx && old == nil)
}

// parseLifetime reads the options that a command allows, all in lower case; ok is false
// if they are wrong.
func parseLifetime(allowed string, options []string) (l lifetime, ok bool) {
	for len(options) > 0 {
		o := strings.ToLower(options[0])
		options = options[1:]
		if !strings.Contains(allowed, " "+o+" ") {
			l.unknown = strings.ToUpper(o)
			return l, false
		}
		switch o {
		case "nx":
			l.nx = true
		case "xx":
			l.xx = true
		case "get":
			l.get = true
		case "keepttl", "persist", "ex", "px", "exat", "pxat":
			if l.unit != 0 || l.keep && o != "keepttl" || l.persist && o != "persist" {
				return l, false
			}
			l.keep, l.persist = o == "keepttl", o == "persist"
			if l.keep || l.persist {
				continue
			}
			if len(options) == 0 {
				return l, false
			}
			l.unit, l.absolute, l.amount = unitOf(o), strings.HasSuffix(o, "at"), options[0]
			options = options[1:]
		case "ifeq", "ifne", "ifdeq", "ifdne":
			if l.condition.option != "" || len(options) == 0 {
				return l, false
			}
			l.condition = condition{option: o, given: options[0]}
			options = options[1:]
		}
	}
	conditions := 0
	for _, set := range []bool{l.nx, l.xx, l.condition.option != ""} {
		if set {
			conditions++
		}
	}
	return l, conditions <= 1
}

// end computes the expiry that the options give, zero if none. If it is invalid, end
// answers with an error, and ok is false.
func (n *Node) end(r *request, l lifetime) (at time.Time, ok bool) {
	if l.unit == 0 {
		return at, true
	}
	amount, ok := integer(l.amount)
	if !ok {
		r.out.WriteError(errInteger)
		return at, false
	}
	if at, ok = n.deadline(amount, l.unit, l.absolute); !ok || amount <= 0 {
		r.out.WriteError(errExpireTime(r))
		return at, false
	}
	return at, true
}

func (n *Node) setCommand(r *request) {
	l, ok := parseLifetime(" nx xx get keepttl ex px exat pxat ifeq ifne ifdeq ifdne ", r.args[2:])
	switch {
	case !n.cluster.options.Version.has(l.condition.option):
		r.out.WriteError(errSyntax)
		return
	case !ok:
		r.syntaxError(l.unknown)
		return
	case !l.condition.wellFormed(r):
		return
	}
	at, ok := n.end(r, l)
	if !ok {
		return
	}
	key := r.args[0]
	old := n.lookup(key)
	if l.get || l.condition.option != "" {
		if old, ok = n.stringAt(r, key); !ok {
			return
		}
	}
	refused := !l.permits(old)
	if l.keep && old != nil {
		at = old.expires
	}
	if !refused {
		n.putUntil(r, key, r.args[1], at)
	}
	switch {
	case l.get:
		r.writeText(old)
	case refused:
		r.out.WriteNull()
	default:
		r.out.WriteOK()
	}
}

// putUntil stores a string that may have expired already.
func (n *Node) putUntil(r *request, key, s string, at time.Time) {
	if !at.IsZero() && at.Before(n.now()) {
		n.remove(r, key)
		n.touched(key) // it existed for no time
		return
	}
	n.put(r, key, text(s), at)
}

// setEx is SETEX and PSETEX.
func (n *Node) setEx(r *request) {
	if at, ok := n.end(r, lifetime{unit: unitOf(r.name), amount: r.args[1]}); ok {
		n.putUntil(r, r.args[0], r.args[2], at)
		r.out.WriteOK()
	}
}

func (n *Node) setNX(r *request) {
	if n.lookup(r.args[0]) != nil {
		r.out.WriteInt(0)
		return
	}
	n.put(r, r.args[0], text(r.args[1]), time.Time{})
	r.out.WriteInt(1)
}

func (n *Node) getSet(r *request) {
	if e, ok := n.stringAt(r, r.args[0]); ok {
		n.put(r, r.args[0], text(r.args[1]), time.Time{})
		r.writeText(e)
	}
}

// compareAndDelete executes CAD of Alibaba Cloud's Tair, which Redis does not have: it
// deletes a string if it equals the given one.
func (n *Node) compareAndDelete(r *request) {
	e, ok := n.stringAt(r, r.args[0])
	switch {
	case !ok:
	case e == nil:
		r.out.WriteInt(-1)
	case e.value.text != r.args[1]:
		r.out.WriteInt(0)
	default:
		n.remove(r, r.args[0])
		r.out.WriteInt(1)
	}
}

// delEx executes DELEX of Redis 8.4: it deletes a key if its string meets a condition; without one it deletes any key.
func (n *Node) delEx(r *request) {
	var c condition
	if len(r.args) == 3 {
		c = condition{option: strings.ToLower(r.args[1]), given: r.args[2]}
	}
	switch {
	case len(r.args) == 1:
		n.del(r)
	case len(r.args) != 3:
		r.out.WriteError("ERR wrong number of arguments for 'delex' command")
	case n.lookup(r.args[0]) != nil && n.lookup(r.args[0]).value.kind != "string":
		r.out.WriteError("ERR Key should be of string type if conditions are specified")
	case slices.Contains([]string{"ifeq", "ifne", "ifdeq", "ifdne"}, c.option):
		if c.wellFormed(r) {
			n.delIf(r, c)
		}
	default:
		r.conn.unsupported("the option " + r.args[1] + " of DELEX")
		r.out.WriteError("ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE")
	}
}

// delIfEqual is DELIFEQ, since Valkey 9.
func (n *Node) delIfEqual(r *request) { n.delIf(r, condition{option: "ifeq", given: r.args[1]}) }

// delIf deletes a string if it meets the condition.
func (n *Node) delIf(r *request, c condition) {
	e, ok := n.stringAt(r, r.args[0])
	switch {
	case !ok:
	case e == nil || !c.holds(e):
		r.out.WriteInt(0)
	default:
		n.remove(r, r.args[0])
		r.out.WriteInt(1)
	}
}

func (n *Node) getDel(r *request) {
	if e, ok := n.stringAt(r, r.args[0]); ok {
		n.remove(r, r.args[0])
		r.writeText(e)
	}
}

func (n *Node) getEx(r *request) {
	l, ok := parseLifetime(" persist ex px exat pxat ", r.args[1:])
	if !ok {
		r.syntaxError(l.unknown)
		return
	}
	e, ok := n.stringAt(r, r.args[0])
	if !ok {
		return
	}
	if e == nil {
		r.out.WriteNull()
		return
	}
	at, ok := n.end(r, l)
	if !ok {
		return
	}
	if l.unit != 0 || l.persist && !e.expires.IsZero() {
		n.setExpiry(r, r.args[0], at)
	}
	r.writeText(e)
}

// incr is INCR, DECR, INCRBY and DECRBY.
func (n *Node) incr(r *request) {
	key, by := r.args[0], int64(1)
	if len(r.args) > 1 {
		var ok bool
		if by, ok = integer(r.args[1]); !ok {
			r.out.WriteError(errInteger)
			return
		}
	}
	if strings.HasPrefix(r.name, "decr") {
		if by == math.MinInt64 {
			r.out.WriteError("ERR decrement would overflow")
			return
		}
		by = -by
	}
	e, ok := n.stringAt(r, key)
	if !ok {
		return
	}
	old, expires := int64(0), time.Time{}
	if e != nil {
		expires = e.expires
		if old, ok = integer(e.value.text); !ok {
			r.out.WriteError(errInteger)
			return
		}
	}
	if overflows(old, by) {
		r.out.WriteError(errOverflow)
		return
	}
	n.put(r, key, text(strconv.FormatInt(old+by, 10)), expires)
	r.out.WriteInt(int(old + by))
}

// overflows reports whether a sum is out of range.
func overflows(a, b int64) bool {
	return b < 0 && a < math.MinInt64-b || b > 0 && a > math.MaxInt64-b
}

// incrFloat lets the engine calculate, after checking the type, which the engine does
// too late.
func (n *Node) incrFloat(r *request) {
	if _, ok := n.stringAt(r, r.args[0]); ok {
		n.byEngine(r)
	}
}

// mset is MSET and MSETNX.
func (n *Node) mset(r *request) {
	if len(r.args)%2 != 0 {
		r.out.WriteError(fmt.Sprintf("ERR wrong number of arguments for '%s' command", r.name))
		return
	}
	for i := 0; i < len(r.args) && r.name == "msetnx"; i += 2 {
		if n.lookup(r.args[i]) != nil {
			r.out.WriteInt(0)
			return
		}
	}
	for i := 0; i < len(r.args); i += 2 {
		n.put(r, r.args[i], text(r.args[i+1]), time.Time{})
	}
	if r.name == "msetnx" {
		r.out.WriteInt(1)
	} else {
		r.out.WriteOK()
	}
}

func (n *Node) getRange(r *request) {
	from, ok := integer(r.args[1])
	to, ok2 := integer(r.args[2])
	if !ok || !ok2 {
		r.out.WriteError(errInteger)
		return
	}
	e, ok := n.stringAt(r, r.args[0])
	if !ok {
		return
	}
	s := ""
	if e != nil {
		s = e.value.text
	}
	length := int64(len(s))
	if from < 0 && from > to && to < 0 {
		length = 0 // the one case in which the order counts before the length does
	}
	index := func(i int64) int64 {
		if i < 0 {
			i += length
		}
		return max(i, 0)
	}
	from, to = index(from), min(index(to), length-1)
	if from > to {
		s = ""
	} else {
		s = s[from : to+1]
	}
	r.out.WriteBulk(s)
}

func (n *Node) setRange(r *request) {
	offset, ok := integer(r.args[1])
	switch {
	case !ok:
		r.out.WriteError(errInteger)
		return
	case offset < 0:
		r.out.WriteError("ERR offset is out of range")
		return
	case offset > maxBulk-int64(len(r.args[2])):
		r.out.WriteError("ERR string exceeds maximum allowed size (proto-max-bulk-len)")
		return
	}
	e, ok := n.stringAt(r, r.args[0])
	if !ok {
		return
	}
	if e == nil {
		e = &entry{}
	}
	s := []byte(e.value.text)
	if insert := r.args[2]; insert != "" {
		s = append(s, make([]byte, max(0, int(offset)+len(insert)-len(s)))...)
		copy(s[offset:], insert)
		n.put(r, r.args[0], text(string(s)), e.expires)
	}
	r.out.WriteInt(len(s))
}
