package simetcd

import (
	"encoding/base64"
	"strconv"

	"pgregory.net/rapid"
)

// command is a line of a script: what the client does.
type command struct {
	what     string // the name of an api, "expire", "nothing", or "watch"
	request  object
	messages []any // of a watch, or of keep-alives
}

// text is bytes in JSON.
func text(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// digits is a 64-bit number in JSON.
func digits(n int64) string { return strconv.FormatInt(n, 10) }

// What requests are made of: few keys, so that they meet. Revisions are counted from the
// script's first.
var (
	someKey   = rapid.SampledFrom([]string{"a", "a", "a", "b", "b", "a/x", "a/x", "a/y", "c", "\x00", "a\x00", "\xff"})
	someEnd   = rapid.SampledFrom([]string{"", "", "", "", "b", "b", "a0", "c", "\x00", "\x00", "a", "\xff\xff"})
	someValue = rapid.SampledFrom([]string{"", "1", "1", "2", "10", "\xfe"})
	someLease = rapid.SampledFrom([]int64{0, 0, 0, 0, 1, 1, 2, 2, 3, -3, 99})
	revisions = rapid.SampledFrom([]int64{0, 0, 0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40, 50})
	small     = rapid.SampledFrom([]int64{0, 1, 1, 2, 2, 3, -1})
	fewTrue   = rapid.SampledFrom([]bool{false, false, false, true})
	rarely    = rapid.SampledFrom(append(make([]bool, 19), true))
	hardly    = rapid.SampledFrom(append(append(make([]bool, 137), true), make([]bool, 150)...)) // rapid prefers both ends
	sortNames = rapid.SampledFrom([]string{"NONE", "NONE", "NONE", "ASCEND", "DESCEND", "DESCEND"})
	byNames   = rapid.SampledFrom([]string{"KEY", "KEY", "VERSION", "CREATE", "MOD", "VALUE"})
	targets   = rapid.SampledFrom([]string{"VERSION", "CREATE", "CREATE", "MOD", "VALUE", "LEASE"})
	results   = rapid.SampledFrom([]string{"EQUAL", "EQUAL", "GREATER", "LESS", "NOT_EQUAL"})
	whatNext  = rapid.SampledFrom([]string{
		"range", "range", "range", "range", "put", "put", "put", "put", "delete", "delete", "txn", "txn", "txn", "txn", "txn", "txn",
		"compact", "grant", "grant", "revoke", "keepalive", "timetolive", "timetolive", "leases", "watch", "watch", "nothing",
	})
)

// drawer draws the parts of a script.
type drawer struct{ *rapid.T }

// put sets a field, if it has not its default value.
func put(m object, name string, v any) {
	switch v := v.(type) {
	case string:
		if v == "" || v == "NONE" || v == "KEY" {
			return
		}
	case bool:
		if !v {
			return
		}
	case int64:
		if v != 0 {
			m[name] = digits(v)
		}
		return
	}
	m[name] = v
}

func (d drawer) key() string {
	if rarely.Draw(d.T, "empty") {
		return ""
	}
	return text(someKey.Draw(d.T, "key"))
}

func (d drawer) flag(m object, name string) { put(m, name, fewTrue.Draw(d.T, name)) }

func (d drawer) rangeRequest() object {
	m := object{}
	put(m, "key", d.key())
	put(m, "range_end", text(someEnd.Draw(d.T, "end")))
	if fewTrue.Draw(d.T, "limited") {
		put(m, "limit", small.Draw(d.T, "limit"))
	}
	if rapid.Bool().Draw(d.T, "old") {
		put(m, "revision", revisions.Draw(d.T, "revision"))
	}
	put(m, "sort_order", sortNames.Draw(d.T, "order"))
	put(m, "sort_target", byNames.Draw(d.T, "by"))
	for _, name := range []string{"serializable", "keys_only", "count_only"} {
		d.flag(m, name)
	}
	for _, name := range []string{"min_mod_revision", "max_mod_revision", "min_create_revision", "max_create_revision"} {
		if rarely.Draw(d.T, name) {
			put(m, name, revisions.Draw(d.T, "revision"))
		}
	}
	return m
}

func (d drawer) putRequest() object {
	m := object{}
	put(m, "key", d.key())
	put(m, "value", text(someValue.Draw(d.T, "value")))
	put(m, "lease", someLease.Draw(d.T, "lease"))
	d.flag(m, "prev_kv")
	for name, clashes := range map[string]string{"ignore_value": "value", "ignore_lease": "lease"} {
		if rarely.Draw(d.T, name) {
			m[name] = true
			if fewTrue.Draw(d.T, "wrong") {
				continue
			}
			delete(m, clashes)
		}
	}
	return m
}

func (d drawer) deleteRequest() object {
	m := object{}
	put(m, "key", d.key())
	put(m, "range_end", text(someEnd.Draw(d.T, "end")))
	d.flag(m, "prev_kv")
	return m
}

func (d drawer) compare() object {
	m := object{}
	target := targets.Draw(d.T, "target")
	if target != "VERSION" {
		m["target"] = target
	}
	if result := results.Draw(d.T, "result"); result != "EQUAL" {
		m["result"] = result
	}
	put(m, "key", d.key())
	if fewTrue.Draw(d.T, "range") {
		put(m, "range_end", text(someEnd.Draw(d.T, "end")))
	}
	operand := target
	if rarely.Draw(d.T, "other operand") {
		operand = targets.Draw(d.T, "operand")
	}
	switch operand {
	case "VERSION":
		m["version"] = digits(max(0, small.Draw(d.T, "version")))
	case "CREATE":
		m["create_revision"] = digits(revisions.Draw(d.T, "create"))
	case "MOD":
		m["mod_revision"] = digits(revisions.Draw(d.T, "mod"))
	case "VALUE":
		m["value"] = text(someValue.Draw(d.T, "value"))
	case "LEASE":
		m["lease"] = digits(someLease.Draw(d.T, "lease"))
	}
	return m
}

func (d drawer) ops(depth int) (list []any) {
	for range rapid.IntRange(0, 3).Draw(d.T, "operations") {
		var m object
		switch kind := rapid.IntRange(0, 19).Draw(d.T, "operation"); {
		case kind < 8:
			m = object{"request_range": d.rangeRequest()}
		case kind < 14:
			m = object{"request_put": d.putRequest()}
		case kind < 17:
			// A server does not notice puts in a range without an end, and may then crash.
			r := d.deleteRequest()
			if r["range_end"] == text("\x00") {
				delete(r, "range_end")
			}
			m = object{"request_delete_range": r}
		case kind < 19 && depth < 2:
			m = object{"request_txn": d.txnRequest(depth + 1)}
		case rarely.Draw(d.T, "none"):
			m = object{}
		default:
			continue
		}
		list = append(list, m)
	}
	return list
}

func (d drawer) txnRequest(depth int) object {
	m := object{}
	var compares []any
	for range rapid.IntRange(0, 2).Draw(d.T, "compares") {
		compares = append(compares, d.compare())
	}
	for name, list := range map[string][]any{"compare": compares, "success": d.ops(depth), "failure": d.ops(depth)} {
		if list != nil {
			m[name] = list
		}
	}
	return m
}

func (d drawer) watchMessages() (list []any) {
	for range rapid.IntRange(1, 4).Draw(d.T, "messages") {
		if len(list) > 0 && rarely.Draw(d.T, "cancel") {
			m := object{}
			put(m, "watch_id", rapid.Int64Range(0, 3).Draw(d.T, "id"))
			list = append(list, object{"cancel_request": m})
			continue
		}
		m := object{}
		put(m, "key", d.key())
		put(m, "range_end", text(someEnd.Draw(d.T, "end")))
		put(m, "start_revision", revisions.Draw(d.T, "start"))
		d.flag(m, "prev_kv")
		if rarely.Draw(d.T, "filter") {
			m["filters"] = []any{rapid.SampledFrom([]string{"NOPUT", "NODELETE"}).Draw(d.T, "filter")}
		}
		if rarely.Draw(d.T, "own id") {
			put(m, "watch_id", rapid.Int64Range(0, 3).Draw(d.T, "id"))
		}
		list = append(list, object{"create_request": m})
	}
	return list
}

// drawScript draws a script of so many commands.
func drawScript(rt *rapid.T, commands int) (script []command) {
	d := drawer{rt}
	for range commands {
		c := command{what: whatNext.Draw(rt, "what"), request: object{}}
		if hardly.Draw(rt, "expire") {
			c.what = "expire"
		}
		switch c.what {
		case "range":
			c.request = d.rangeRequest()
		case "put", "expire":
			c.request = d.putRequest()
		case "delete":
			c.request = d.deleteRequest()
		case "txn":
			c.request = d.txnRequest(0)
		case "compact":
			c.request["physical"] = true
			put(c.request, "revision", revisions.Draw(rt, "revision"))
		case "grant":
			put(c.request, "ID", max(1, someLease.Draw(rt, "lease")))
			put(c.request, "TTL", rapid.SampledFrom([]int64{1000, 1000, 777, maxTTL, maxTTL + 1}).Draw(rt, "TTL"))
		case "revoke":
			put(c.request, "ID", someLease.Draw(rt, "lease"))
		case "timetolive":
			put(c.request, "ID", someLease.Draw(rt, "lease"))
			d.flag(c.request, "keys")
		case "keepalive":
			for range rapid.IntRange(1, 3).Draw(rt, "messages") {
				m := object{}
				put(m, "ID", someLease.Draw(rt, "lease"))
				c.messages = append(c.messages, m)
			}
		case "watch":
			c.messages = d.watchMessages()
		}
		script = append(script, c)
	}
	return script
}
