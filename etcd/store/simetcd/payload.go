package simetcd

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

// requestText describes a message of a client to a method, as
// "txn: if create(lock/1f) = 0 then put lock/1f (lease 1f)". It takes any bytes, and what is
// printable comes out.
func requestText(path string, message []byte) string {
	m, found := methods[path]
	if !found {
		return wording.Fit(wording.Printable(path), payload.Most)
	}
	request := m.request()
	if !unmarshal(string(message), request) {
		return "(malformed)"
	}
	_, name, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	text := name
	if d, ok := request.(interface{ text() string }); ok {
		text = d.text()
	}
	return wording.Fit(wording.Printable(text), payload.Most)
}

// rangeText describes a range of keys: "a", "a…b", or "a…" without an end.
func rangeText(key, end string) string {
	switch end {
	case "":
		return key
	case infinite:
		return key + "…"
	}
	if strings.HasPrefix(end, key[:max(0, len(key)-1)]) && len(end) == len(key) && key != "" && end[len(end)-1] == key[len(key)-1]+1 {
		return key + "*" // a prefix
	}
	return key + "…" + end
}

func (r *rangeRequest) text() string {
	text := "get " + rangeText(r.key, r.end)
	var how []string
	say := func(when bool, what string) {
		if when {
			how = append(how, what)
		}
	}
	say(r.limit > 0, fmt.Sprintf("limit %d", r.limit))
	say(r.revision > 0, fmt.Sprintf("at revision %d", r.revision))
	say(r.maxCreate > 0, fmt.Sprintf("created up to %d", r.maxCreate))
	say(r.countOnly, "count")
	say(r.serializable, "serializable")
	return text + inBrackets(how)
}

func inBrackets(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

func (r *putRequest) text() string {
	text := "put " + r.key
	if r.value != "" {
		text += " = " + r.value
	}
	if r.lease != 0 {
		text += " (lease " + leaseName(r.lease) + ")"
	}
	return text
}

func (r *deleteRequest) text() string { return "delete " + rangeText(r.key, r.end) }

func (r *txnRequest) text() string {
	var b strings.Builder
	r.write(&b)
	return b.String()
}

// enough is how many bytes of a transaction's text are written: the rest is cut off in any case.
const enough = utf8.UTFMax * payload.Most

// write writes the transaction's text until there is enough.
func (r *txnRequest) write(b *strings.Builder) {
	b.WriteString("txn:")
	word := " if "
	for i := range r.compares {
		if b.Len() > enough {
			return
		}
		b.WriteString(word)
		b.WriteString(r.compares[i].text())
		word = " and "
	}
	if len(r.compares) > 0 {
		b.WriteString(" then")
	}
	b.WriteString(" ")
	writeOps(b, r.success)
	if len(r.failure) > 0 {
		b.WriteString(" else ")
		writeOps(b, r.failure)
	}
}

func writeOps(b *strings.Builder, ops []op) {
	if len(ops) == 0 {
		b.WriteString("nothing")
	}
	for i := range ops {
		if b.Len() > enough {
			return
		}
		if i > 0 {
			b.WriteString(", ")
		}
		ops[i].write(b)
	}
}

func (o *op) write(b *strings.Builder) {
	switch {
	case o.get != nil:
		b.WriteString(o.get.text())
	case o.put != nil:
		b.WriteString(o.put.text())
	case o.remove != nil:
		b.WriteString(o.remove.text())
	case o.txn != nil:
		b.WriteString("(")
		o.txn.write(b)
		b.WriteString(")")
	default:
		b.WriteString("nothing")
	}
}

func (c *compare) text() string {
	target := map[compareTarget]string{
		targetVersion: "version", targetCreate: "create", targetMod: "mod", targetValue: "value", targetLease: "lease",
	}[c.target]
	sign := map[compareResult]string{equal: "=", greater: ">", less: "<", notEqual: "!="}[c.result]
	operand := fmt.Sprint(c.operand)
	if c.target == targetValue {
		operand = c.value
	}
	return fmt.Sprintf("%s(%s) %s %s", target, rangeText(c.key, c.end), sign, operand)
}

func (r *compactRequest) text() string { return fmt.Sprintf("compact up to %d", r.revision) }

func (r *grantRequest) text() string { return fmt.Sprintf("grant a lease of %d s", r.ttl) }

func (r *revokeRequest) text() string { return r.String() }

func (r *keepAliveRequest) text() string { return "keep lease " + leaseName(r.id) + " alive" }

func (r *timeToLiveRequest) text() string { return "time to live of lease " + leaseName(r.id) }

func (r *watchRequest) text() string {
	switch {
	case r.create != nil && r.create.start > 0:
		return fmt.Sprintf("watch %s from revision %d", rangeText(r.create.key, r.create.end), r.create.start)
	case r.create != nil:
		return "watch " + rangeText(r.create.key, r.create.end)
	case r.cancel != nil:
		return fmt.Sprintf("cancel watch %d", r.cancel.id)
	}
	return "watch progress"
}

// answerText describes a message of a server. The method is that of the call, or "" if it is
// not known: then the text has only the revision. It takes any bytes.
func answerText(path string, message []byte) string {
	var a answerSummary
	if !unmarshal(string(message), &a) {
		return "(malformed)"
	}
	var words []string
	switch path {
	case "/etcdserverpb.KV/Txn":
		words = append(words, map[bool]string{true: "succeeded", false: "did not succeed"}[a.second != 0])
	case "/etcdserverpb.KV/Range":
		words = append(words, wording.Count(int(min(a.fourth, 1<<30)), "key")+inBrackets(a.keys))
	case "/etcdserverpb.KV/DeleteRange":
		words = append(words, fmt.Sprintf("%d deleted", a.second))
	case "/etcdserverpb.Lease/LeaseGrant", "/etcdserverpb.Lease/LeaseKeepAlive", "/etcdserverpb.Lease/LeaseTimeToLive":
		words = append(words, fmt.Sprintf("lease %s, %d s", leaseName(a.second), a.third))
	case "/etcdserverpb.Watch/Watch":
		words = a.watched()
	}
	words = append(words, fmt.Sprintf("revision %d", a.header.revision))
	return wording.Fit(wording.Printable(strings.Join(words, ", ")), payload.Most)
}

// answerSummary is what the answers to all methods have in common: a header, a few numbers,
// and the events of a watch.
type answerSummary struct {
	header                header
	second, third, fourth int64
	events                []string
	keys                  []string // the first of those that a range has
}

func (a *answerSummary) set(d *decoder) {
	switch d.field {
	case 1:
		d.sub(headerSummary{&a.header})
	case 2:
		const most = 3
		a.second = d.int()
		if kv := keySummary(""); d.data != "" && len(a.keys) < most { // of a range: a message, and no number
			within := decoder{rest: d.data, depth: d.depth + 1}
			if within.read(&kv); kv != "" {
				a.keys = append(a.keys, string(kv))
			}
		}
	case 3:
		a.third = d.int()
	case 4:
		a.fourth = d.int()
	case 11:
		var e eventSummary
		d.sub(&e)
		a.events = append(a.events, map[bool]string{true: "deleted ", false: "put "}[e.deleted]+e.key)
	}
}

// watched describes a message about a watch.
func (a *answerSummary) watched() []string {
	switch {
	case a.fourth != 0:
		return []string{fmt.Sprintf("watch %d ended", a.second)}
	case a.third != 0:
		return []string{fmt.Sprintf("watch %d begun", a.second)}
	case len(a.events) == 0:
		return []string{"progress"}
	}
	return a.events
}

type headerSummary struct{ *header }

func (h headerSummary) set(d *decoder) {
	if d.field == 3 {
		h.revision = d.int()
	}
}

type eventSummary struct {
	deleted bool
	key     string
}

func (e *eventSummary) set(d *decoder) {
	switch d.field {
	case 1:
		e.deleted = d.bool()
	case 2:
		var kv keySummary
		d.sub(&kv)
		e.key = string(kv)
	}
}

type keySummary string

func (k *keySummary) set(d *decoder) {
	if d.field == 1 {
		*k = keySummary(d.data)
	}
}
