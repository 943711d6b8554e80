package export

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"regexp"
	"strings"
)

// protocol has the parts of tests for a store.
type protocol struct {
	// server, pass and record are parts: one starts or finds a server, one carries messages, and one reads the record of the
	// lock.
	server, pass, record string
	// word returns the parts' name of a request, empty for one that only sets a connection up.
	word func(payload []byte) string
	// words, in place of word, returns a function for the requests of one connection, which it gets in their order.
	words func() func(payload []byte) string
	// stays is set if a record may stay when its lease has ended, so that it is another's only if that takes it.
	stays bool
	// pooler is the part that starts a pooler before the server, if a trace has one.
	pooler string
	// number returns the number of a request, and of its answer, if answers may come in any order; it is nil otherwise.
	number func(payload []byte) (n uint32, ok bool)
	// needs describes what to install.
	needs string
	// name is the server's name, and program prints its version with the flag --version.
	name, program string
}

// answers reports whether a segment may be the answer to a request: one without data ends the connection.
func (p protocol) answers(answer, request []byte) bool {
	if p.number == nil || len(answer) == 0 {
		return true
	}
	a, isAnswer := p.number(answer)
	r, isRequest := p.number(request)
	return isAnswer && isRequest && a == r
}

// version returns the version on which the tests run.
func (p protocol) version() string {
	if out, err := exec.Command(p.program, "--version").Output(); err == nil {
		if v := versionNumber.FindString(string(out)); v != "" {
			return p.name + " " + v
		}
	}
	return p.name
}

var versionNumber = regexp.MustCompile(`[0-9]+\.[0-9.]+[0-9]`)

// protocols are the protocols of the stores.
var protocols = map[string]protocol{
	"redis": {
		server: "RedisServer", pass: "PassRedis", record: "RedisRecord", word: redisWord,
		needs: "redis-server on the PATH (Debian: apt install redis-server), or REDIS_ADDR=host:port",
		name:  "redis-server", program: "redis-server",
	},
	"zookeeper": {
		server: "ZooKeeperServer", pass: "PassZooKeeper", record: "ZooKeeperRecord", word: zooKeeperWord, number: zooKeeperNumber,
		needs: "a ZooKeeper on 127.0.0.1:2181 or ZOOKEEPER_ADDR=host:port (docker run --rm -p 2181:2181 zookeeper:3.8)",
		name:  "ZooKeeper",
	},
	"etcd": {
		server: "EtcdServer", pass: "PassEtcd", record: "EtcdRecord", word: etcdWord, number: etcdNumber,
		needs: "etcd on the PATH (Debian: apt install etcd-server), or ETCD_ADDR=host:port",
		name:  "etcd", program: "etcd",
	},
	"postgres": {
		server: "PostgresServer", pooler: "PgBouncer", pass: "PassPostgres", record: "PostgresRecord", words: postgresWords, stays: true,
		needs: "PostgreSQL, and PgBouncer for a test behind a pooler (Debian: apt install postgresql pgbouncer)",
		name:  "PostgreSQL", program: "/usr/lib/postgresql/15/bin/postgres",
	},
}

// redisWord returns a request's command.
func redisWord(payload []byte) string {
	words := bytes.Split(payload, []byte("\r\n"))
	if len(words) < 3 || !bytes.HasPrefix(words[0], []byte("*")) {
		return ""
	}
	switch command := strings.ToUpper(string(words[2])); command {
	case "HELLO", "AUTH", "CLIENT", "SELECT", "PING", "COMMAND", "READONLY", "INFO", "QUIT":
		return ""
	case "EVALSHA":
		return "EVAL" // followed by the script itself, if the server does not know it
	default:
		return command
	}
}

// zooKeeperWord returns the number of a request's operation, in words.
func zooKeeperWord(payload []byte) string {
	if len(payload) < 12 {
		return ""
	}
	switch int32(binary.BigEndian.Uint32(payload[8:])) {
	case 1, 15, 19, 20:
		return "create"
	case 2:
		return "delete"
	case 3:
		return "exists"
	case 4:
		return "get"
	case 8, 12:
		return "children"
	}
	return ""
}

func zooKeeperNumber(payload []byte) (n uint32, ok bool) {
	if len(payload) < 8 {
		return 0, false
	}
	return binary.BigEndian.Uint32(payload[4:]), true
}

var etcdMethod = regexp.MustCompile(`/etcdserverpb\.[A-Za-z]+/([A-Za-z]+)`)

// etcdWord returns a request's method: simulated connections do not compress headers.
func etcdWord(payload []byte) string {
	if m := etcdMethod.FindSubmatch(payload); m != nil {
		return string(m[1])
	}
	return ""
}

// etcdNumber returns the stream of the first headers of a segment.
func etcdNumber(payload []byte) (n uint32, ok bool) {
	const head, headers = 9, 1
	for rest := bytes.TrimPrefix(payload, []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")); len(rest) >= head; {
		size := int(rest[0])<<16 | int(rest[1])<<8 | int(rest[2])
		if rest[3] == headers {
			return binary.BigEndian.Uint32(rest[5:]), true
		}
		rest = rest[min(len(rest), head+size):]
	}
	return 0, false
}
