package main

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver
	"github.com/go-zookeeper/zk"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/lockpick-dev/lockpick/internal/test/realetcd"
	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/mysql/realmysql"
	"github.com/lockpick-dev/lockpick/zookeeper/realzk"
)

// request is a measured request: do makes a number of requests of one name.
type request struct {
	name     string
	requests int
	do       func(ctx context.Context, worker, i int) error
}

// all measures requests in turn.
func (s *stand) all(ctx context.Context, list []request) error {
	for _, r := range list {
		if err := s.measure(ctx, r.name, r.requests, r.do); err != nil {
			return err
		}
	}
	return nil
}

// release is the script with which most locks are released.
var release = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`)

// redisCosts measures Redis. All workers use one key each.
func redisCosts(ctx context.Context, s *stand) error {
	server, stop, err := realredis.Launch()
	if err != nil {
		return err
	}
	defer stop()
	s.cpu = server.CPU
	client := redis.NewClient(&redis.Options{Addr: server.Addr, PoolSize: workers, Protocol: 2})
	defer client.Close()
	if err := release.Load(ctx, client).Err(); err != nil {
		return err
	}
	var keys [workers]string
	var channels [workers]*redis.PubSub
	for w := range workers {
		keys[w] = fmt.Sprint("key", w)
		channels[w] = client.Subscribe(ctx)
		defer channels[w].Close()
	}
	err = s.all(ctx, []request{
		{"PING", 1, func(ctx context.Context, _, _ int) error { return client.Ping(ctx).Err() }},
		{"SET", 1, func(ctx context.Context, w, _ int) error {
			return client.SetNX(ctx, keys[w], "value", time.Second).Err()
		}},
		{"INCR", 1, func(ctx context.Context, w, _ int) error { return client.Incr(ctx, keys[w]+"n").Err() }},
		{"GET", 1, func(ctx context.Context, w, _ int) error { return client.Get(ctx, keys[w]+"n").Err() }},
		{"DEL", 1, func(ctx context.Context, w, _ int) error { return client.Del(ctx, keys[w]).Err() }},
		{"PUBLISH", 1, func(ctx context.Context, w, _ int) error { return client.Publish(ctx, keys[w], "x").Err() }},
		{"EVALSHA", 1, func(ctx context.Context, w, _ int) error {
			return release.EvalSha(ctx, client, []string{keys[w] + "n"}, "another").Err()
		}},
		{"SUBSCRIBE", 2, func(ctx context.Context, w, _ int) error {
			if err := channels[w].Subscribe(ctx, keys[w]); err != nil {
				return err
			}
			if _, err := channels[w].Receive(ctx); err != nil {
				return err
			}
			if err := channels[w].Unsubscribe(ctx, keys[w]); err != nil {
				return err
			}
			_, err := channels[w].Receive(ctx)
			return err
		}},
	})
	if err != nil {
		return err
	}
	s.loopback, err = loopback(ctx, client, s.costs["PING"])
	return err
}

// zookeeperVersion returns the version in the name of Debian's archive.
func zookeeperVersion() string {
	files, err := filepath.Glob("/usr/share/java/zookeeper-[0-9]*.jar")
	if err != nil || len(files) == 0 {
		return "of unknown version"
	}
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(files[0]), "zookeeper-"), ".jar")
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// zookeeperCosts measures a server of its own: nothing is replicated.
func zookeeperCosts(ctx context.Context, s *stand) error {
	server, stop, err := realzk.Launch(200 * time.Millisecond)
	if err != nil {
		return err
	}
	defer stop()
	s.cpu = server.CPU
	var conns [workers]*zk.Conn
	for w := range conns {
		conn, _, err := zk.Connect([]string{server.Addr}, 10*time.Second, zk.WithLogger(quiet{}), zk.WithLogInfo(false))
		if err != nil {
			return err
		}
		defer conn.Close()
		conns[w] = conn
	}
	name := func(w, i int) string { return fmt.Sprintf("/n%d-%d", w, i) }
	var made [workers]int
	list := []request{
		{"create", 1, func(_ context.Context, w, i int) error {
			made[w] = i + 1
			_, err := conns[w].Create(name(w, i), []byte("value"), zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
			return err
		}},
		{"getData", 1, func(_ context.Context, w, _ int) error {
			_, _, err := conns[w].Get(name(w, 0))
			return err
		}},
		{"exists", 1, func(_ context.Context, w, _ int) error {
			_, _, err := conns[w].Exists(name(w, 0))
			return err
		}},
		{"delete", 1, func(_ context.Context, w, i int) error {
			if i == made[w] {
				return errEnd
			}
			return conns[w].Delete(name(w, i), -1)
		}},
		{"getChildren2", 1, func(_ context.Context, w, _ int) error {
			_, _, err := conns[w].Children("/zookeeper")
			return err
		}},
	}
	// Java is slow at first.
	warm := *s
	warm.costs = map[string]time.Duration{}
	if err := warm.all(ctx, list[:4]); err != nil {
		return err
	}
	return s.all(ctx, list)
}

// etcdCosts measures a cluster of one member.
func etcdCosts(ctx context.Context, s *stand) error {
	server, stop, err := realetcd.Launch(time.Second)
	if err != nil {
		return err
	}
	defer stop()
	s.cpu = server.CPU
	var clients [workers]*clientv3.Client
	for w := range clients {
		client, err := clientv3.New(clientv3.Config{Endpoints: []string{server.Addr}, Logger: zap.NewNop()})
		if err != nil {
			return err
		}
		defer client.Close()
		clients[w] = client
	}
	key := func(w int) string { return fmt.Sprint("key", w) }
	return s.all(ctx, []request{
		{"Put", 1, func(ctx context.Context, w, _ int) error {
			_, err := clients[w].Put(ctx, key(w), "value")
			return err
		}},
		{"Range", 1, func(ctx context.Context, w, _ int) error {
			_, err := clients[w].Get(ctx, key(w))
			return err
		}},
		{"Txn", 1, func(ctx context.Context, w, _ int) error {
			_, err := clients[w].Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key(w)), ">", 0)).
				Then(clientv3.OpPut(key(w), "value")).Else(clientv3.OpGet(key(w))).Commit()
			return err
		}},
		{"DeleteRange", 1, func(ctx context.Context, w, _ int) error {
			_, err := clients[w].Delete(ctx, key(w))
			return err
		}},
		{"LeaseGrant", 1, func(ctx context.Context, w, _ int) error {
			_, err := clients[w].Grant(ctx, 60)
			return err
		}},
	})
}

// mysqlCosts measures MariaDB. Each worker has a row.
func mysqlCosts(ctx context.Context, s *stand) error {
	server, stop, err := realmysql.Launch("--max-connections=200")
	if err != nil {
		return err
	}
	defer stop()
	s.cpu = server.CPU
	db, err := sql.Open("mysql", server.DSN)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxIdleConns(workers)
	if _, err := db.ExecContext(ctx, "CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)"); err != nil {
		return err
	}
	for w := range workers {
		if _, err := db.ExecContext(ctx, fmt.Sprintf("INSERT INTO t VALUES (%d, 0)", w)); err != nil {
			return err
		}
	}
	exec := func(ctx context.Context, statement string, args ...any) error {
		_, err := db.ExecContext(ctx, fmt.Sprintf(statement, args...))
		return err
	}
	query := func(ctx context.Context, statement string, args ...any) error {
		var n sql.NullInt64
		return db.QueryRowContext(ctx, fmt.Sprintf(statement, args...)).Scan(&n)
	}
	row := func(w, i int) int { return (w+1)*1_000_000_000 + i }
	var made [workers]int
	return s.all(ctx, []request{
		{"SELECT", 1, func(ctx context.Context, w, _ int) error { return query(ctx, "SELECT n FROM t WHERE id = %d", w) }},
		{"SELECT ... FOR UPDATE", 1, func(ctx context.Context, w, _ int) error {
			return query(ctx, "SELECT n FROM t WHERE id = %d FOR UPDATE", w)
		}},
		{"UPDATE", 1, func(ctx context.Context, w, i int) error {
			return exec(ctx, "UPDATE t SET n = %d WHERE id = %d", i+1, w)
		}},
		{"INSERT", 1, func(ctx context.Context, w, i int) error {
			made[w] = i + 1
			return exec(ctx, "INSERT INTO t VALUES (%d, 0)", row(w, i))
		}},
		{"DELETE", 1, func(ctx context.Context, w, i int) error {
			if i == made[w] {
				return errEnd
			}
			return exec(ctx, "DELETE FROM t WHERE id = %d", row(w, i))
		}},
		{"COMMIT", 2, func(ctx context.Context, _, _ int) error {
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			return tx.Commit()
		}},
		{"GET_LOCK", 1, func(ctx context.Context, w, _ int) error { return query(ctx, "SELECT GET_LOCK('lock%d', 0)", w) }},
	})
}
