package resp

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

func init() { payload.Register("redis", payload.Each(readPayload)) }

// readPayload says in a few words what a segment of the Redis protocol (RESP2
// or RESP3) carries: the command, as "SET lock 9f2c41… NX PX 2000", or the
// reply, as "+OK", ":1" or "nil". Several in one segment are separated by
// semicolons; scripts and long values are shortened. It takes any bytes: what
// is not RESP is shown as text, and what is cut off ends in "(cut off)".
func readPayload(segment []byte) payload.Message {
	text := payloadText(segment)
	return payload.Message{Text: text, List: len(segment) > 0 && bytes.IndexByte([]byte("*~>%"), segment[0]) >= 0, Aside: isAside(text)}
}

// isAside reports whether a segment is of the connection, or says that a script must be sent.
func isAside(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	return slices.Contains([]string{"HELLO", "AUTH", "CLIENT", "SELECT", "PING", "COMMAND", "SCRIPT", "-NOSCRIPT", "+PONG"}, strings.ToUpper(strings.TrimRight(first, ";")))
}

func payloadText(segment []byte) string {
	if len(segment) == 0 {
		return ""
	}
	const most = 3 // values spelled out
	r := respReader{rest: segment}
	var parts []string
	for len(r.rest) > 0 && len(parts) < most && !r.bad && !r.cut {
		parts = append(parts, r.value(0).String())
	}
	text := strings.Join(parts, "; ")
	switch {
	case r.bad:
		return payload.Plain(segment)
	case r.cut:
		return wording.Fit(text, payload.Most-10) + " (cut off)"
	case len(r.rest) > 0:
		return wording.Fit(text, payload.Most-8) + "; and " + strconv.Itoa(len(r.rest)) + " bytes"
	}
	return wording.Fit(text, payload.Most)
}

// respValue is one value of the protocol.
type respValue struct {
	kind  byte // as on the wire; 0 for nil
	text  string
	items []respValue
	more  int // items beyond those kept
}

// respReader takes values off the front of bytes.
type respReader struct {
	rest []byte
	bad  bool // not RESP
	cut  bool // RESP, but it ends inside a value
}

const (
	maxRESPDepth = 6
	maxRESPItems = 24 // kept of one aggregate
)

// value reads one value. After bad or cut, what it returns is what there was.
func (r *respReader) value(depth int) respValue {
	line, whole := r.line()
	if r.bad = r.bad || len(line) == 0 && whole || depth > maxRESPDepth; r.bad || len(line) == 0 {
		return respValue{kind: '?'}
	}
	v := respValue{kind: line[0], text: string(line[1:])}
	switch v.kind {
	case '+', '-', ':', ',', '(', '#':
	case '_':
		return respValue{}
	case '$', '!', '=':
		return r.bulk(v)
	case '*', '~', '>', '%', '|':
		return r.aggregate(v, depth)
	default:
		r.bad = true // another protocol
	}
	return v
}

// line takes one line, and reports whether its end was there.
func (r *respReader) line() ([]byte, bool) {
	line, rest, found := bytes.Cut(r.rest, []byte("\r\n"))
	r.rest = rest
	r.cut = r.cut || !found
	return line, found
}

// bulk reads the bytes that a header announces.
func (r *respReader) bulk(v respValue) respValue {
	n, err := strconv.Atoi(v.text)
	switch {
	case r.cut:
		return respValue{kind: '$'}
	case err != nil || n < -1:
		r.bad = true
		return respValue{}
	case n == -1:
		return respValue{}
	case len(r.rest) < n+2:
		v.text = string(r.rest[:min(n, len(r.rest))])
		r.rest, r.cut = nil, true
		return v
	}
	v.text = string(r.rest[:n])
	r.bad = r.bad || r.rest[n] != '\r' || r.rest[n+1] != '\n'
	r.rest = r.rest[n+2:]
	return v
}

// aggregate reads the values that a header announces.
func (r *respReader) aggregate(v respValue, depth int) respValue {
	n, err := strconv.Atoi(v.text)
	v.text = ""
	switch {
	case r.cut:
		return v
	case err != nil || n < -1:
		r.bad = true
		return v
	case n == -1:
		return respValue{}
	}
	if v.kind == '%' || v.kind == '|' {
		n = min(n, len(r.rest)) * 2
	}
	for i := 0; i < n && !r.bad && !r.cut; i++ {
		if len(r.rest) == 0 {
			r.cut = true
			break
		}
		item := r.value(depth + 1)
		if len(v.items) < maxRESPItems {
			v.items = append(v.items, item)
		} else {
			v.more++
		}
	}
	return v
}

// String returns the value as a person would type or read it.
func (v respValue) String() string {
	switch v.kind {
	case 0:
		return "nil"
	case '?':
		return ""
	case '+', '-', ':', ',', '(', '#':
		return string(v.kind) + wording.Printable(v.text)
	case '$', '!', '=':
		return `"` + wording.Shorten(v.text) + `"`
	}
	if words, ok := v.command(); ok {
		return strings.Join(words, " ")
	}
	const most = 4 // items spelled out
	var parts []string
	for _, item := range v.items[:min(len(v.items), most)] {
		parts = append(parts, item.String())
	}
	if rest := len(v.items) - len(parts) + v.more; rest > 0 {
		parts = append(parts, "… "+strconv.Itoa(rest)+" more")
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// command returns the words of a list that is a command.
func (v respValue) command() ([]string, bool) {
	if v.kind != '*' || len(v.items) == 0 {
		return nil, false
	}
	name := strings.ToUpper(v.items[0].text)
	if _, known := slices.BinarySearch(commandNames, name); !known {
		return nil, false
	}
	words := []string{name}
	for i, item := range v.items[1:] {
		if item.kind != '$' {
			return nil, false
		}
		switch script := name == "EVAL" || name == "EVALSHA"; {
		case isKey(name, v.items[1:], i):
			words = append(words, wording.Key(item.text))
		case script && i == 0 && !isDigest(item.text):
			words = append(words, "<script>")
		case script && i == 1:
			// How many of the words are keys is of no use to a reader.
		case i > 1 && slices.Contains(setOptions, strings.ToUpper(item.text)):
			words = append(words, strings.ToUpper(item.text))
		default:
			words = append(words, wording.Shorten(item.text))
		}
	}
	if v.more > 0 {
		words = append(words, "…")
	}
	return words, true
}

// isKey reports whether an argument of a command is a key or a channel.
func isKey(name string, args []respValue, i int) bool {
	switch name {
	case "EVAL", "EVALSHA":
		n := 0
		if len(args) > 1 {
			n, _ = strconv.Atoi(args[1].text)
		}
		return 2 <= i && i < 2+n
	case "DEL", "EXISTS", "MGET", "UNLINK", "WATCH", "SUBSCRIBE", "UNSUBSCRIBE", "PSUBSCRIBE", "PUNSUBSCRIBE", "SSUBSCRIBE", "SUNSUBSCRIBE":
		return true
	case "MSET", "MSETNX":
		return i%2 == 0
	case "ASKING", "AUTH", "CLIENT", "CLUSTER", "COMMAND", "CONFIG", "ECHO", "HELLO", "INFO", "MIGRATE", "PING", "REPLCONF", "REPLICAOF", "SCAN", "SCRIPT", "SELECT", "SENTINEL", "WAIT":
		return false
	}
	return i == 0
}

// commandNames are the commands that lock code sends, sorted. Replies are
// lists of bulk strings too, but do not begin with one of these.
var commandNames = []string{
	"ASKING", "AUTH", "BLPOP", "BRPOP", "CAD", "CAS", "CLIENT", "CLUSTER", "COMMAND", "CONFIG", "DBSIZE", "DECR", "DECRBY", "DEL", "DELEX", "DELIFEQ",
	"DISCARD", "ECHO", "EVAL", "EVALSHA", "EXEC", "EXISTS", "EXPIRE", "EXPIREAT", "EXPIRETIME", "FLUSHALL",
	"FLUSHDB", "GET", "GETDEL", "GETEX", "GETSET", "HDEL", "HELLO", "HEXISTS", "HGET", "HGETALL", "HINCRBY",
	"HLEN", "HMGET", "HMSET", "HSET", "HSETNX", "INCR", "INCRBY", "INFO", "KEYS", "LINDEX", "LLEN", "LPOP",
	"LPUSH", "LRANGE", "LREM", "MGET", "MIGRATE", "MSET", "MSETNX", "MULTI", "PERSIST", "PEXPIRE", "PEXPIREAT",
	"PEXPIRETIME", "PING", "PSETEX", "PSUBSCRIBE", "PTTL", "PUBLISH", "PUNSUBSCRIBE", "QUIT", "READONLY", "READWRITE",
	"REPLCONF", "REPLICAOF", "ROLE", "RPOP", "RPUSH", "SADD", "SCAN", "SCARD", "SCRIPT", "SELECT", "SENTINEL",
	"SET", "SETEX", "SETNX", "SISMEMBER", "SMEMBERS", "SPUBLISH", "SREM", "SSUBSCRIBE", "SUBSCRIBE", "SUNSUBSCRIBE", "TIME", "TTL", "TYPE", "UNLINK",
	"UNSUBSCRIBE", "UNWATCH", "WAIT", "WATCH", "XACK", "XADD", "ZADD", "ZCARD", "ZPOPMIN", "ZRANGE",
	"ZRANGEBYSCORE", "ZRANK", "ZREM", "ZREMRANGEBYSCORE", "ZSCORE",
}

// setOptions are the options of SET, which clients send in either case.
var setOptions = []string{"NX", "XX", "EX", "PX", "EXAT", "PXAT", "KEEPTTL", "GET", "IFEQ", "IFNE"}

// isDigest reports whether a word is the SHA-1 of a script.
func isDigest(word string) bool {
	_, err := hex.DecodeString(word)
	return err == nil && len(word) == 40
}
