package simredis

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// ops runs commands, each on behalf of the operation that its number names,
// and returns what the primary observed.
func ops(t *testing.T, script string) []string {
	t.Helper()
	var observed []string
	play(t, Options{}, func(x *player) {
		wires := map[int]*wire{}
		for _, s := range parseSteps(script) {
			if wires[s.conn] == nil {
				wires[s.conn] = x.primary()
			}
			x.as(s.conn)
			wires[s.conn].do(s.words...)
		}
		x.conduct(func([]*Node) { observed = x.observed(1) })
	})
	return observed
}

func lines(s string) (list []string) {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// TestOwners: the writer of a key's value, and the origin of what happens to it.
// The number before a command is its operation.
func TestOwners(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"set", "1> SET k v", "created k=v of 1 by 1"},
		{"read", "1> SET k v \n 2> GET k \n 2> TTL k \n 2> EXISTS k", "created k=v of 1 by 1"},
		{"set again, the same", "1> SET k v \n 2> SET k v", "created k=v of 1 by 1 \n changed k=v of 2 was 1 by 2"},
		{"set xx", "1> SET k v \n 2> SET k w XX", "created k=v of 1 by 1 \n changed k=w of 2 was 1 by 2"},
		{"set nx, refused", "1> SET k v \n 2> SET k v NX \n 2> SET k v NX GET \n 2> SETNX k v \n 2> MSETNX a 1 k v", "created k=v of 1 by 1"},
		{"set, mistaken", "1> SET k v \n 2> SET k w EX 0 \n 2> SET k w FOO", "created k=v of 1 by 1"},
		{"getset, the same", "1> SET k v \n 2> GETSET k v", "created k=v of 1 by 1 \n changed k=v of 2 was 1 by 2"},
		{"incr", "1> INCR k \n 2> INCR k \n 3> INCRBY k 0", "created k=1 of 1 by 1 \n changed k=2 of 2 was 1 by 2 \n changed k=2 of 3 was 2 by 3"},
		{"extend", "1> SET k v PX 1000 \n 2> PEXPIRE k 5000", "created k=v of 1 by 1 \n changed k=v of 1 was 1 by 2"},
		{"persist", "1> SET k v PX 1000 \n 2> PERSIST k \n 2> PERSIST k", "created k=v of 1 by 1 \n changed k=v of 1 was 1 by 2"},
		{"getex", "1> SET k v \n 2> GETEX k \n 2> GETEX k EX 5", "created k=v of 1 by 1 \n changed k=v of 1 was 1 by 2"},
		{"expire at once", "1> SET k v \n 2> PEXPIRE k 0", "created k=v of 1 by 1 \n deleted k=v of 1 by 2"},
		{"expire in the past", "1> SET k v \n 2> EXPIREAT k 1", "created k=v of 1 by 1 \n deleted k=v of 1 by 2"},
		{"expire, negative", "1> SET k v \n 2> EXPIRE k -5", "created k=v of 1 by 1 \n deleted k=v of 1 by 2"},
		{"set into the past", "1> SET k v \n 2> SET k w PXAT 1 \n 3> SET k x EXAT 1", "created k=v of 1 by 1 \n deleted k=v of 1 by 2"},
		{"expire, refused", "1> SET k v \n 2> EXPIRE k 5 XX \n 2> EXPIRE k 5 GT \n 2> EXPIRE nokey 5", "created k=v of 1 by 1"},
		{"del", "1> MSET a 1 b 2 \n 2> DEL b x a b", "created a=1 of 1 by 1 \n created b=2 of 1 by 1 \n deleted b=2 of 1 by 2 \n deleted a=1 of 1 by 2"},
		{"flush", "1> MSET b 1 a 2 \n 2> FLUSHALL", "created b=1 of 1 by 1 \n created a=2 of 1 by 1 \n deleted a=2 of 1 by 2 \n deleted b=1 of 1 by 2"},
		{"rename", "1> SET a v \n 2> SET b w \n 3> RENAME a b", "created a=v of 1 by 1 \n created b=w of 2 by 2 \n deleted a=v of 1 by 3 \n changed b=v of 3 was 2 by 3"},
		{"copy", "1> SET a v \n 2> COPY a b \n 3> COPY a b", "created a=v of 1 by 1 \n created b=v of 2 by 2"},
		{"getdel", "1> SET a v \n 2> GETDEL a \n 3> GETDEL a", "created a=v of 1 by 1 \n deleted a=v of 1 by 2"},
		{"hash", "1> HSET h a 1 \n 2> HSET h b 2 \n 3> HSET h b 2 \n 4> HDEL h a \n 5> HDEL h b", `
			created h=hash[a 1] of 1 by 1
			changed h=hash[a 1 b 2] of 2 was 1 by 2
			changed h=hash[b 2] of 4 was 2 by 4
			deleted h=hash[b 2] of 4 by 5`},
		{"list", "1> RPUSH l a b \n 2> LPOP l \n 3> LMOVE l m LEFT LEFT \n 4> LRANGE m 0 -1", `
			created l=list[a b] of 1 by 1
			changed l=list[b] of 2 was 1 by 2
			deleted l=list[b] of 2 by 3
			created m=list[b] of 3 by 3`},
		{"set of members", "1> SADD s b a \n 2> SADD s a \n 3> SMOVE s t a \n 4> SUNIONSTORE s s t", `
			created s=set[a b] of 1 by 1
			changed s=set[b] of 3 was 1 by 3
			created t=set[a] of 3 by 3
			changed s=set[a b] of 4 was 3 by 4`},
		{"sorted set", "1> ZADD z 2 b 1 a \n 2> ZADD z 2 b \n 3> ZINCRBY z 0.5 a \n 4> ZPOPMIN z 2", `
			created z=zset[a 1 b 2] of 1 by 1
			changed z=zset[a 1.5 b 2] of 3 was 1 by 3
			deleted z=zset[a 1.5 b 2] of 3 by 4`},
		{"transaction", "1> MULTI \n 2> PING \n 1> SET a 1 \n 1> SET b 2 \n 1> DEL a \n 1> EXEC", "created a=1 of 1 by 1 \n created b=2 of 1 by 1 \n deleted a=1 of 1 by 1"},
		{"transaction, discarded", "1> MULTI \n 1> SET a 1 \n 1> DISCARD \n 1> EXEC", ""},
		{"transaction, dirty", "1> MULTI \n 1> SET a 1 \n 1> GET \n 1> EXEC \n 1> PING", ""},
		{"transaction, outdated", "1> WATCH k \n 2> SET k 1 \n 1> MULTI \n 1> SET a 1 \n 1> EXEC", "created k=1 of 2 by 2"},
		{"script", "1> EVAL |redis.call('set', 'k', 'v') redis.call('del', 'k') redis.call('set', 'k', 'v')| 0", "created k=v of 1 by 1 \n deleted k=v of 1 by 1 \n created k=v of 1 by 1"},
		{"script takes over", "1> SET k v \n 2> EVAL |redis.call('del', 'k') redis.call('set', 'k', 'v')| 0", "created k=v of 1 by 1 \n deleted k=v of 1 by 2 \n created k=v of 2 by 2"},
		{"script that fails", "1> EVAL |redis.call('set', 'k', 'v') redis.call('hset', 'k', 'f', 'v') redis.call('set', 'k', 'w')| 0", "created k=v of 1 by 1"},
		{"script inside a transaction", "1> MULTI \n 1> EVAL |return redis.call('incr', KEYS[1])| 1 n \n 1> INCR n \n 1> EXEC", "created n=1 of 1 by 1 \n changed n=2 of 1 was 1 by 1"},
		{"wrong type", "1> SET k v \n 2> LPUSH k x \n 2> ZUNIONSTORE k 1 k", "created k=v of 1 by 1"},
		{"value that is a key", "1> SET b v \n 2> SET a b \n 3> RPUSH l a b", "created b=v of 1 by 1 \n created a=b of 2 by 2 \n created l=list[a b] of 3 by 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, want := ops(t, c.script), lines(c.want); !slices.Equal(got, want) {
				t.Errorf("observed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestOriginIsTheSenders: what counts is what the process was busy with when
// it sent the request, not when that arrived; for a command in pieces, the
// last one.
func TestOriginIsTheSenders(t *testing.T) {
	x := play(t, Options{}, func(x *player) {
		w := x.primary()
		x.as(1)
		w.send(encode("SET", "a", "1"))
		x.as(2)
		b := encode("SET", "b", "2")
		w.send(b[:10])
		x.as(3)
		w.send(b[10:])
		x.as(4)
		w.reply()
		w.reply()
	})
	if got, want := x.observed(1), []string{"created a=1 of 1 by 1", "created b=2 of 3 by 3"}; !slices.Equal(got, want) {
		t.Errorf("observed %q, want %q", got, want)
	}
	for _, o := range x.seen {
		if o.By.Client != "c1" || o.By.Conn != 1 || o.Owner != o.By || o.Authority == "" {
			t.Errorf("observed %+v", o)
		}
	}
}

// TestExpiryIsObserved: when it happens, without an access, and not before the key
// has lived for all of its time.
func TestExpiryIsObserved(t *testing.T) {
	const ttl = 10 * time.Millisecond
	for _, offset := range []time.Duration{0, 300 * time.Microsecond, 999 * time.Microsecond} {
		x := play(t, Options{}, func(x *player) {
			w := x.primary()
			x.pass(offset)
			w.want("+OK\r\n", "SET", "k", "v", "PX", "10")
			x.pass(time.Second)
		})
		if len(x.seen) != 2 || x.seen[0].Kind != model.RecordCreated || x.seen[1].Kind != model.RecordExpired {
			t.Fatalf("observed %+v", x.seen)
		}
		lived := x.seen[1].At - x.seen[0].At
		if lived < ttl || lived > ttl+time.Millisecond {
			t.Errorf("lived for %v, want %v to a millisecond more", lived, ttl)
		}
		if at := x.seen[0].ExpiresAt; x.seen[1].At < at || x.seen[1].At > at+time.Microsecond {
			t.Errorf("expired at %v, announced %v", x.seen[1].At, at)
		}
	}
}

// TestShown: a replica tells what it has shown a client of a key, or that it had none, and by whom that was asked; a primary
// does not, since it has the truth.
func TestShown(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		x.primary().want("+OK\r\n", "SET", "k", "v")
		x.settle()
		x.primary().want("$1\r\nv\r\n", "GET", "k")
		replica := x.node(2)
		x.as(7)
		replica.want("$1\r\nv\r\n", "GET", "k")
		replica.want("*2\r\n$1\r\nv\r\n$-1\r\n", "MGET", "k", "none")
		replica.want("-READONLY You can't write against a read only replica.\r\n", "DEL", "k")
		replica.want("+PONG\r\n", "PING")
		x.conduct(func([]*Node) {
			var got []string
			for _, o := range x.seen {
				if o.Kind == model.RecordShown {
					got = append(got, o.Node+" "+o.Authority+" "+short(o))
				}
			}
			want := []string{"redis2  shown k=v of 0 by 7", "redis2  shown k=v of 0 by 7", "redis2  shown none= of 0 by 7"}
			if !slices.Equal(got, want) {
				t.Errorf("shown %q, want %q", got, want)
			}
		})
	})
}
