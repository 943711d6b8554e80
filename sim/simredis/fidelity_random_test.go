package simredis

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What commands are made of: few keys, so that they meet, and values that are
// numbers to some and no numbers to others.
var (
	someKey   = rapid.SampledFrom([]string{"a", "b", "c"})
	someValue = rapid.SampledFrom([]string{"x", "y", "", "1", "-5", "10", "007", "+3", " 4", "1.5", "3e2", "922337203685", "foo"})
	someInt   = rapid.SampledFrom([]string{"0", "1", "2", "-1", "-2", "3", "100", "x"})
	someScore = []string{"0", "1", "2", "-1", "1.5", "2.5e1", "x"}
)

// fillings are what placeholders stand for in forms.
var fillings = map[string]*rapid.Generator[string]{
	"K":     someKey,
	"V":     someValue,
	"N":     someInt,
	"INDEX": rapid.SampledFrom([]string{"0", "1", "2", "-1", "-2", "3", "100"}),
	"COUNT": rapid.SampledFrom([]string{"0", "1", "2", "100"}),
	"B":     rapid.SampledFrom([]string{"0", "1"}),
	"FLOAT": rapid.SampledFrom([]string{"0", "1", "-1.5", "2.25", "1e2", "x"}),
	"SCORE": rapid.SampledFrom(someScore),
	"BOUND": rapid.SampledFrom(append([]string{"inf", "-inf", "+inf", "(1"}, someScore...)),
}

// forms are commands with placeholders.
var forms = strings.Split(strings.TrimSpace(`
GET K
SET K V
SET K V NX
SET K V XX GET
SET K V GET
SET K V NX GET
SET K V PX 100000
SET K V EX N
SET K V PXAT 1
SET K V EXAT 4102444800
SET K V KEEPTTL
SET K V NX EX 100
SET K V XX PX 100000 KEEPTTL
SETEX K N V
SETEX K 100 V
PSETEX K 100000 V
SETNX K V
GETSET K V
GETDEL K
GETEX K
GETEX K PERSIST
GETEX K EX 100
GETEX K PXAT 1
GETEX K PX 100000
GETEX K EXAT 4102444800
GETEX K EX N PERSIST
APPEND K V
STRLEN K
SETRANGE K N V
GETRANGE K N N
INCR K
DECR K
INCRBY K N
DECRBY K N
INCRBY K V
INCRBYFLOAT K FLOAT
MGET K K
MSET K V K V
MSETNX K V K V
MSET K V K
SETBIT K N N
GETBIT K N
BITCOUNT K
BITCOUNT K 0 INDEX
BITPOS K B
BITOP AND K K K
BITOP NOT K K
DEL K
DEL K K
UNLINK K
EXISTS K K
TOUCH K
TYPE K
KEYS *
RENAME K K
RENAMENX K K
COPY K K
COPY K K REPLACE
EXPIRE K 100
EXPIRE K N
EXPIRE K 100 NX
EXPIRE K 200 XX
EXPIRE K N XX GT
EXPIRE K 100 NX LT
PEXPIRE K N gt lt
EXPIREAT K 4102444801 GT
EXPIREAT K 4102444799 LT
PEXPIRE K 100000
PEXPIRE K -1
EXPIREAT K 1
EXPIREAT K 4102444800
PEXPIREAT K 4102444800000 GT
PERSIST K
TTL K
PTTL K
HSET K V V
HSET K V V V V
HSET K V
HMSET K V V
HSETNX K V V
HGET K V
HMGET K V V
HGETALL K
HKEYS K
HVALS K
HLEN K
HEXISTS K V
HSTRLEN K V
HDEL K V
HDEL K V V
HINCRBY K n N
HINCRBY K n 9223372036854775807
HINCRBY K n -5000000000000000000
HINCRBYFLOAT K f FLOAT
LPUSH K V V
RPUSH K V
LPUSHX K V
RPUSHX K V V
LPOP K
RPOP K
LPOP K COUNT
RPOP K COUNT
LLEN K
LRANGE K N N
LINDEX K INDEX
LSET K INDEX V
LREM K N V
LTRIM K N N
LINSERT K BEFORE V V
LINSERT K AFTER V V
LPOS K V
LPOS K V RANK N
LPOS K V count N
LMOVE K K LEFT RIGHT
RPOPLPUSH K K
LMPOP 1 K LEFT
LMPOP 2 K K RIGHT count N
SADD K V
SADD K V V V
SREM K V V
SCARD K
SMEMBERS K
SISMEMBER K V
SMISMEMBER K V V
SMOVE K K V
SINTER K K
SUNION K K
SDIFF K K
SINTERSTORE K K K
SUNIONSTORE K K K
SDIFFSTORE K K K
SINTERCARD 2 K K
SINTERCARD 2 K K LIMIT COUNT
ZADD K SCORE V
ZADD K SCORE V SCORE V
ZADD K NX SCORE V
ZADD K XX CH SCORE V
ZADD K GT CH SCORE V
ZADD K LT SCORE V
ZADD K INCR SCORE V
ZADD K LT INCR SCORE V
ZADD K GT INCR SCORE V
ZADD K XX CH LT SCORE x SCORE y SCORE x
ZADD K NX INCR inf V
ZADD K INCR -inf V
ZADD K nan V
ZCARD K
ZCOUNT K BOUND BOUND
ZINCRBY K SCORE V
ZSCORE K V
ZMSCORE K V V
ZRANK K V
ZREVRANK K V
ZRANGE K N N
ZRANGE K N N WITHSCORES
ZRANGE K N N REV
ZRANGE K BOUND BOUND BYSCORE
ZRANGEBYSCORE K BOUND BOUND
ZRANGEBYSCORE K BOUND BOUND WITHSCORES LIMIT N N
ZREVRANGE K N N WITHSCORES
ZREVRANGEBYSCORE K BOUND BOUND
ZREM K V
ZREM K V V
ZREMRANGEBYRANK K N N
ZREMRANGEBYSCORE K BOUND BOUND
ZLEXCOUNT K - +
ZPOPMIN K
ZPOPMAX K N
ZMPOP 1 K MIN
ZMPOP 2 K K MAX count N
ZUNION 2 K K
ZUNIONSTORE K 2 K K
ZINTERSTORE K 2 K K WEIGHTS 2 COUNT
ZUNIONSTORE K 2 K K AGGREGATE MAX
`), "\n")

// drawCommand draws one of the forms and fills it in.
func drawCommand(rt *rapid.T, forms []string) []string {
	words := strings.Fields(rapid.SampledFrom(forms).Draw(rt, "form"))
	for i, w := range words {
		if g := fillings[w]; g != nil {
			words[i] = g.Draw(rt, w)
		}
	}
	return words
}

// rounds is how often a property is checked as many times as rapid's flags say.
func rounds() int {
	if testing.Short() {
		return 1
	}
	return 10
}

// testRandomFidelity runs sequences of commands as they are.
func testRandomFidelity(t *testing.T, socket string) {
	property := func(rt *rapid.T) {
		var steps []step
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			steps = append(steps, step{0, drawCommand(rt, forms)})
		}
		if d := compare(t, socket, steps); d != "" {
			rt.Fatal(d)
		}
	}
	for range rounds() {
		rapid.Check(t, property)
	}
}

// testMixedFidelity runs commands also from scripts and in transactions, on
// two connections.
func testMixedFidelity(t *testing.T, socket string) {
	ordered := slices.DeleteFunc(slices.Clone(forms), func(form string) bool {
		name, _, _ := strings.Cut(form, " ")
		return slices.Contains(strings.Fields("SMEMBERS SUNION SINTER SDIFF HKEYS HVALS HGETALL KEYS TTL PTTL"), name)
	})
	property := func(rt *rapid.T) {
		var steps []step
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			words := drawCommand(rt, ordered)
			switch rapid.IntRange(0, 7).Draw(rt, "how") {
			case 0:
				words = append([]string{"EVAL", "return redis.call(unpack(ARGV))", "0"}, words...)
			case 1:
				words = append([]string{"EVAL", "local r = redis.pcall(unpack(ARGV)) redis.call('incr', 'n') return {type(r), r, redis.call('ttl', 'a') > 0}", "0"}, words...)
			case 2:
				words = []string{"MULTI"}
			case 3:
				words = []string{"EXEC"}
			case 4:
				words = []string{rapid.SampledFrom([]string{"DISCARD", "UNWATCH"}).Draw(rt, "end")}
			case 5:
				words = []string{"WATCH", someKey.Draw(rt, "watched")}
			}
			steps = append(steps, step{rapid.IntRange(0, 1).Draw(rt, "conn"), words})
		}
		if d := compare(t, socket, steps); d != "" {
			rt.Fatal(d)
		}
	}
	for range rounds() {
		rapid.Check(t, property)
	}
}
