package simetcd

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// place is where a script is played: at a real server, or in a simulated world.
type place interface {
	// call makes a call and returns the messages of its answer.
	call(name string, messages ...object) ([]object, error)
	// watch opens a watch stream.
	watch(messages ...object) (stream int)
	// heard are the messages of a watch stream that have come since it was asked last, when so
	// many events have come, or none come any more.
	heard(stream, events int) []object
	sleep(d time.Duration)
}

// player plays a script, and writes down what the client is told.
type player struct {
	place
	base    int64 // the revision before the script
	compact int64
	lines   []string
	streams []int
	// events is how many events each stream was told of after each command: of the first play,
	// and what the second waits for.
	events map[string]int
	first  bool
}

const (
	settled    = 2 * round // watches are told by then
	shortLease = 77
)

// play plays a script at a place that others may have used before.
func (x *player) play(script []command) []string {
	x.clear()
	for i, c := range script {
		x.say("%d: %s", i, c.what)
		x.do(c)
		x.listen(i)
	}
	return x.lines
}

func (x *player) say(format string, args ...any) {
	x.lines = append(x.lines, fmt.Sprintf(format, args...))
}

// clear makes the place as if it were new.
func (x *player) clear() {
	list, err := x.call("leases", object{})
	if err != nil {
		panic(err)
	}
	leases, _ := list[0]["leases"].([]any)
	for _, l := range leases {
		_, _ = x.call("revoke", l.(object))
	}
	_, _ = x.call("put", object{"key": text("a")})
	list, err = x.call("delete", object{"key": text("\x00"), "range_end": text("\x00")})
	if err != nil {
		panic(err)
	}
	x.base, _ = strconv.ParseInt(list[0]["header"].(object)["revision"].(string), 10, 64)
	x.compact = x.base
	if _, err := x.call("compact", object{"revision": digits(x.base), "physical": true}); err != nil {
		panic(err)
	}
}

func (x *player) do(c command) {
	switch c.what {
	case "nothing":
	case "watch":
		x.streams = append(x.streams, x.watch(x.asked(c.messages)...))
	case "keepalive":
		x.tell(x.call(c.what, x.asked(c.messages)...))
	case "expire":
		x.expire(c.request)
	case "compact":
		x.sleep(round + round/5) // watches from before it are told first
		list, err := x.call(c.what, x.absolute(c.request).(object))
		if err == nil {
			x.compact, _ = strconv.ParseInt(x.absolute(c.request).(object)["revision"].(string), 10, 64)
		}
		x.tell(list, err)
	default:
		x.tell(x.call(c.what, x.absolute(c.request).(object)))
	}
}

func (x *player) asked(messages []any) (list []object) {
	for _, m := range messages {
		list = append(list, x.absolute(m).(object))
	}
	return list
}

// expire grants a short lease, writes a key with it, and waits until both are gone.
func (x *player) expire(request object) {
	x.tell(x.call("grant", object{"ID": digits(shortLease)}))
	r := maps.Clone(request)
	delete(r, "ignore_lease")
	r["lease"] = digits(shortLease)
	x.tell(x.call("put", r))
	x.tell(x.call("timetolive", object{"ID": digits(shortLease), "keys": true}))
	for {
		x.sleep(100 * time.Millisecond)
		list, err := x.call("leases", object{})
		if err != nil {
			x.say("%v", err)
			return
		}
		leases, _ := list[0]["leases"].([]any)
		if !slices.ContainsFunc(leases, func(l any) bool { return l.(object)["ID"] == digits(shortLease) }) {
			return
		}
	}
}

// absolute makes the revisions of a request those of the place.
func (x *player) absolute(v any) any {
	switch v := v.(type) {
	case []any:
		var list []any
		for _, one := range v {
			list = append(list, x.absolute(one))
		}
		return list
	case object:
		m := object{}
		for name, one := range v {
			m[name] = x.absolute(one)
			if text, ok := one.(string); ok && isRevision(name) {
				n, _ := strconv.ParseInt(text, 10, 64)
				if n != 0 {
					n += x.base
				}
				// A server forgets deletions at the very revision that was compacted.
				if name == "start_revision" && n == x.compact {
					n++
				}
				m[name] = digits(n)
			}
		}
		return m
	}
	return v
}

func isRevision(name string) bool { return strings.HasSuffix(name, "revision") }

// tell writes down an answer.
func (x *player) tell(list []object, err error) {
	for _, m := range list {
		x.say("    %s", x.words(m))
	}
	if err != nil {
		x.say("    %v", err)
	}
}

// words is a message with revisions counted from the base, without what differs from server to
// server.
func (x *player) words(m object) string {
	b, err := json.Marshal(x.relative(m, ""))
	if err != nil {
		panic(err)
	}
	return string(b)
}

func (x *player) relative(v any, name string) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, one := range v {
			list[i] = x.relative(one, "")
		}
		if name == "leases" || name == "keys" {
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		return list
	case object:
		m := object{}
		for field, one := range v {
			m[field] = x.relative(one, field)
		}
		for _, field := range []string{"cluster_id", "member_id", "raft_term"} {
			delete(m, field)
		}
		left, _ := strconv.ParseInt(fmt.Sprint(m["TTL"]), 10, 64)
		granted, _ := strconv.ParseInt(fmt.Sprint(m["grantedTTL"]), 10, 64)
		if left > 0 && granted > left && granted-left < 60 {
			m["TTL"] = "nearly all"
		}
		return m
	case string:
		if n, err := strconv.ParseInt(v, 10, 64); err == nil && isRevision(name) {
			return fmt.Sprintf("r%+d", n-x.base)
		}
	}
	return v
}

// listen writes down what the watch streams were told of. The order of the watches of a stream
// is not the same at all servers, nor how many revisions make one message.
func (x *player) listen(command int) {
	for i, stream := range x.streams {
		at := fmt.Sprint(command, " ", i)
		wanted := x.events[at]
		if x.first {
			wanted = -1
		}
		events, control := map[string][]string{}, []string{}
		n := 0
		for _, m := range x.heard(stream, wanted) {
			id := fmt.Sprint(m["watch_id"])
			list, _ := m["events"].([]any)
			for _, e := range list {
				n++
				events[id] = append(events[id], fmt.Sprintf("stream %d watch %s: %s", i, id, x.words(e.(object))))
			}
			if len(list) == 0 {
				n++
				control = append(control, fmt.Sprintf("stream %d: %s", i, x.words(m)))
			}
		}
		if x.first {
			x.events[at] = n
		}
		x.lines = append(x.lines, control...)
		for _, id := range slices.Sorted(maps.Keys(events)) {
			x.lines = append(x.lines, events[id]...)
		}
	}
}
