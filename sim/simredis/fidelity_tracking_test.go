package simredis

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
)

// trackingTable are those of [fidelityTable] about client-side caching. Messages are read with the next answer.
var trackingTable = []fidelityCase{
	{"tracking", `
		HELLO 3
		CLIENT TRACKING on
		GET a
		GET b
		1> SET a 1
		1> SET a 2
		(drain)
		GET a
		MGET a b c
		1> MSET a 1 c 1 b 1 d 1
		(drain)
		EXISTS a b
		TTL c
		HGETALL d
		TYPE h
		DBSIZE
		SCAN 0
		KEYS *
		1> DEL c b a
		1> SET d 2
		1> HSET h a b
		(drain)
		GET a
		SET a 1
		(drain)
		GET a
		GETSET a 2
		SET a 3
		(drain)
		GET a
		1> RENAME a b
		(drain)
		GET b
		1> EXPIRE b 100
		(drain)
		GET b
		1> EXPIRE b 200 NX
		1> SET b 1 NX
		1> DEL nokey
		(drain)
		1> PEXPIRE b -1
		(drain)
		GET b
		1> SETRANGE b 0 |
		1> SETRANGE b 0 x
		(drain)
		GET b
		1> COPY b c
		1> COPY b d REPLACE
		1> PERSIST b
		1> GETEX b PERSIST
		1> GETEX b EX 100
		1> GETDEL b
		(drain)
		LRANGE l 0 -1
		ZSCORE z a
		SMEMBERS s
		HGET g a
		1> RPUSH l x
		1> ZADD z 1 a
		1> SADD s x
		1> HSET g a 1
		(drain)
		HGET g a
		SMEMBERS s
		ZSCORE z a
		1> HSET g a 1
		1> SADD s x
		1> ZADD z 1 a
		(drain)
		BITCOUNT l
		1> LSET l 0 y
		1> SINTERSTORE x s s
		(drain)`},
	{"tracking in RESP2", `
		CLIENT TRACKING ON
		GET a
		1> SET a 1
		PING
		GET a
		CLIENT TRACKINGINFO
		HELLO 3
		1> SET a 2
		(drain)
		GET a
		HELLO 2
		1> SET a 3
		PING`},
	{"flushed", `
		HELLO 3
		1> HELLO 3
		2> HELLO 3
		CLIENT TRACKING ON
		1> CLIENT TRACKING ON BCAST NOLOOP
		2> CLIENT TRACKING ON OPTIN
		SET a 1
		SET b 1
		GET a
		1> (drain)
		1> FLUSHALL
		(drain)
		1> (drain)
		2> (drain)
		SET a 1
		FLUSHDB ASYNC
		(drain)
		1> (drain)
		GET a
		MULTI
		SET a 1
		FLUSHALL
		SET b 1
		EXEC
		(drain)
		1> (drain)
		EVAL |redis.call('set', 'a', 1) redis.call('flushall') redis.call('set', 'c', 1)| 0
		(drain)
		1> (drain)
		CLIENT TRACKING OFF
		1> FLUSHALL
		(drain)
		2> (drain)`},
	{"transactions and scripts", `
		HELLO 3
		1> HELLO 3
		CLIENT TRACKING ON
		1> CLIENT TRACKING ON
		MULTI
		GET a
		SET a 1
		GET a
		GET b
		EXEC
		1> GET a
		1> MULTI
		1> SET b 1
		1> SET a 2
		1> GET a
		(drain)
		1> EXEC
		(drain)
		1> (drain)
		EVAL |return redis.call('get', KEYS[1])| 1 a
		1> EVAL |redis.call('set', KEYS[1], 1) redis.call('set', KEYS[1], 2) return redis.call('get', KEYS[1])| 1 a
		(drain)
		1> (drain)
		1> EVAL |return redis.call('set', KEYS[1], 1)| 1 a
		1> (drain)
		EVAL_RO |return redis.call('get', KEYS[1])| 1 a
		GET b
		EVAL |redis.call('set', KEYS[1], 3) redis.call('set', KEYS[2], 3) return redis.call('incr', KEYS[1])| 2 a b
		(drain)
		EVAL |return 1| 1 a
		1> SET a 1
		(drain)
		GET a
		1> MULTI
		1> DISCARD
		1> SUBSCRIBE x
		1> SET a 2
		(drain)`},
	{"NOLOOP", `
		HELLO 3
		1> HELLO 3
		2> HELLO 3
		CLIENT TRACKING ON NOLOOP
		GET a
		SET a 1
		1> SET a 2
		(drain)
		GET a
		EVAL |return redis.call('set', KEYS[1], 1)| 1 a
		(drain)
		GET a
		1> SET a 2
		(drain)
		1> CLIENT TRACKING ON BCAST NOLOOP
		1> SET a 1
		1> (drain)
		1> MULTI
		1> SET a 1
		1> SET b 1
		1> EXEC
		1> (drain)
		1> EVAL |return redis.call('set', KEYS[1], 1)| 1 a
		1> (drain)
		1> MULTI
		1> SET a 1
		1> EVAL |return redis.call('set', KEYS[1], 1)| 1 b
		1> SET c 1
		1> EXEC
		1> (drain)
		2> MULTI
		2> SET a 1
		2> SET b 1
		2> EXEC
		1> (drain)`},
	{"BCAST", `
		HELLO 3
		1> HELLO 3
		2> HELLO 3
		CLIENT TRACKING ON BCAST
		CLIENT TRACKING ON BCAST
		CLIENT TRACKINGINFO
		CLIENT TRACKING ON BCAST PREFIX a
		CLIENT TRACKING OFF
		CLIENT TRACKING ON BCAST PREFIX |user:| PREFIX |item:| NOLOOP
		1> CLIENT TRACKING ON BCAST PREFIX |user:| PREFIX |item:| NOLOOP
		2> CLIENT TRACKING ON BCAST PREFIX |user:|
		CLIENT TRACKINGINFO
		1> CLIENT TRACKINGINFO
		SET user:1 x
		(drain)
		1> (drain)
		1> MSET user:2 x item:1 y user:1 z other 1
		(drain)
		1> (drain)
		2> (drain)
		2> DEL user:1 user:2 user:3 item:1
		(drain)
		1> (drain)
		2> (drain)
		2> CLIENT TRACKING ON BCAST PREFIX b
		2> CLIENT TRACKING ON BCAST PREFIX |user|
		2> CLIENT TRACKINGINFO
		2> SET b1 x
		2> SET user: x
		2> (drain)
		2> CLIENT TRACKING ON
		2> CLIENT TRACKING ON PREFIX a
		2> CLIENT TRACKING OFF
		2> CLIENT TRACKING ON
		2> CLIENT TRACKING ON BCAST
		2> GET b1
		2> SET b1 y
		2> SET b1 z
		2> (drain)
		2> GET b1
		2> CLIENT TRACKING OFF
		2> CLIENT TRACKING ON BCAST PREFIX x
		2> SET b1 z
		2> (drain)
		2> CLIENT TRACKING OFF
		2> CLIENT TRACKINGINFO
		2> CLIENT TRACKING ON
		2> GET b1
		2> CLIENT TRACKING OFF
		2> CLIENT TRACKING ON
		2> SET b1 y
		2> (drain)
		2> GET b1
		2> CLIENT TRACKING OFF
		2> SET b1 y
		2> CLIENT TRACKING ON
		2> SET b1 z
		2> (drain)`},
	{"BCAST in a transaction", `
		HELLO 3
		1> HELLO 3
		1> CLIENT TRACKING ON BCAST PREFIX a
		MULTI
		SET a 1
		CLIENT TRACKING ON BCAST PREFIX a
		SET b 1
		CLIENT TRACKING OFF
		CLIENT TRACKING ON BCAST PREFIX b
		CLIENT TRACKING ON BCAST PREFIX a
		EXEC
		(drain)
		1> (drain)
		CLIENT TRACKING OFF
		1> CLIENT TRACKING OFF
		1> CLIENT TRACKING ON BCAST PREFIX a
		MULTI
		SET b 1
		CLIENT TRACKING ON BCAST
		CLIENT TRACKING OFF
		CLIENT TRACKING ON BCAST
		SET a 1
		EXEC
		(drain)
		1> (drain)`},
	{"OPTIN and OPTOUT", `
		HELLO 3
		1> HELLO 3
		CLIENT CACHING YES
		CLIENT TRACKING ON OPTIN
		CLIENT GETREDIR
		GET a
		SET a 1
		(drain)
		CLIENT CACHING YES
		CLIENT TRACKINGINFO
		GET a
		GET b
		1> MSET a 1 b 1
		(drain)
		CLIENT CACHING YES
		MULTI
		GET a
		GET b
		EXEC
		GET c
		1> MSET a 1 b 1 c 1
		(drain)
		CLIENT CACHING YES
		GET
		GET a
		1> SET a 2
		(drain)
		CLIENT CACHING YES
		CLIENT ID x
		CLIENT GETNAME
		GET a
		1> SET a 2
		(drain)
		CLIENT CACHING YES
		PING
		GET a
		1> SET a 2
		(drain)
		MULTI
		CLIENT CACHING YES
		GET a
		EXEC
		GET b
		1> MSET a 1 b 2
		(drain)
		CLIENT CACHING YES
		MULTI
		GET a
		DISCARD
		GET a
		1> SET a 2
		(drain)
		CLIENT CACHING YES
		EVAL |return redis.call('get', KEYS[1])| 1 a
		1> SET a 2
		(drain)
		CLIENT CACHING NO
		CLIENT CACHING x
		CLIENT CACHING
		CLIENT CACHING YES NO
		CLIENT TRACKING ON OPTOUT
		CLIENT TRACKING OFF
		CLIENT GETREDIR
		CLIENT TRACKINGINFO
		CLIENT TRACKING ON OPTOUT
		CLIENT TRACKING ON OPTIN
		CLIENT CACHING YES
		CLIENT CACHING NO
		CLIENT TRACKINGINFO
		GET a
		GET b
		1> MSET a 1 b 1
		(drain)
		CLIENT TRACKING ON OPTIN OPTOUT
		CLIENT TRACKING ON OPTOUT BCAST
		CLIENT TRACKING ON
		CLIENT TRACKINGINFO
		CLIENT TRACKING OFF
		CLIENT TRACKING ON BCAST OPTIN
		CLIENT TRACKING ON BCAST PREFIX ab PREFIX a
		CLIENT TRACKING ON BCAST PREFIX
		CLIENT TRACKING ON PREFIX a
		CLIENT TRACKING
		CLIENT TRACKING x
		CLIENT TRACKING ON FOO
		CLIENT TRACKING OFF BCAST
		CLIENT TRACKING ON REDIRECT
		CLIENT NO-EVICT on
		CLIENT NO-EVICT off
		CLIENT NO-EVICT x
		1> (drain)`},
}

// trackingForms are what is drawn besides: only the key e has an expiry, so that no two keys expire at once.
var trackingForms = strings.Split(`CLIENT TRACKING ON
CLIENT TRACKING ON NOLOOP
CLIENT TRACKING ON OPTIN
CLIENT TRACKING ON OPTOUT NOLOOP
CLIENT TRACKING ON BCAST
CLIENT TRACKING ON BCAST NOLOOP
CLIENT TRACKING ON BCAST PREFIX P
CLIENT TRACKING ON BCAST PREFIX b PREFIX P NOLOOP
CLIENT TRACKING OFF
CLIENT TRACKINGINFO
CLIENT CACHING YES
CLIENT CACHING NO
GET K
GET K
MGET K e K
EXISTS K e
TTL nokey
SET K V
SET K V
SET K V NX GET
SET e V PX LEASE
SET e V
PEXPIRE e LEASE
GETEX K PERSIST
MSET K V e V
DEL K K
RENAME K K
COPY K K
INCR K
GETDEL e
FLUSHALL
MULTI
EXEC
EXEC
DISCARD
(drain)
(drain)
(drain)
(nap)
(nap)`, "\n")

// TestTrackingFidelity compares what clients that track are sent, and after what, while keys change, also by time.
func TestTrackingFidelity(t *testing.T) {
	socket := realredis.Start(t).Socket
	dialReal(t, socket).want("+OK\r\n", "CONFIG", "SET", "hz", "500") // expires keys at once
	fillings := map[string]*rapid.Generator[string]{
		"K": rapid.SampledFrom([]string{"a", "ab", "b", "c"}), "V": rapid.SampledFrom([]string{"1", "2", "x"}),
		"P": rapid.SampledFrom([]string{"a", "ab", "c", "e"}), "LEASE": rapid.SampledFrom([]string{"30", "130", "100000"}),
	}
	const clients = 4
	compareDrawn(t, socket, func(rt *rapid.T) (steps []step) {
		for conn := range clients - 1 { // the last one gets no messages
			steps = append(steps, step{conn, []string{"HELLO", "3"}})
		}
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			words := strings.Fields(rapid.SampledFrom(trackingForms).Draw(rt, "form"))
			for i, w := range words {
				if g := fillings[w]; g != nil {
					words[i] = g.Draw(rt, w)
				}
			}
			if s, _ := find(words); s != nil && !s.noScript && rapid.IntRange(0, 4).Draw(rt, "by a script") == 0 {
				if s.reads { // exactly the keys that are declared: Redis 7.0 takes these for those that are read
					words = []string{"EVAL", "return redis.call('get', KEYS[1])", "1", s.keysOf(words[1:])[0]}
				} else {
					words = append([]string{"EVAL", "return redis.call(unpack(ARGV))", "0"}, words...)
				}
			}
			steps = append(steps, step{rapid.IntRange(0, clients-1).Draw(rt, "conn"), words})
		}
		for conn := range clients {
			steps = append(steps, step{conn, []string{"EXEC"}}, step{conn, []string{drain}})
		}
		return steps
	})
}
