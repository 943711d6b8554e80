module github.com/lockpick-dev/lockpick/bench/lockbench

go 1.26.0

require (
	github.com/lockpick-dev/lockpick v0.2.0
	github.com/lockpick-dev/lockpick/etcd v0.2.0
	github.com/lockpick-dev/lockpick/real v0.2.0
)

require (
	github.com/go-sql-driver/mysql v1.10.1 // indirect
	github.com/go-zookeeper/zk v1.0.4 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/pgx/v5 v5.13.0 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	github.com/lib/pq v1.12.3 // indirect
	github.com/redis/go-redis/v9 v9.0.5 // indirect
	github.com/zeebo/xxh3 v1.0.2 // indirect
	go.etcd.io/etcd/client/v3 v3.6.16 // indirect
	go.uber.org/zap v1.27.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
)

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	github.com/alicebob/miniredis/v2 v2.40.0 // indirect
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/coreos/go-semver v0.3.1 // indirect
	github.com/coreos/go-systemd/v22 v22.5.0 // indirect
	github.com/dgryski/go-rendezvous v0.0.0-20200823014737-9f7001d12a5f // indirect
	github.com/gogo/protobuf v1.3.2 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.29.0 // indirect
	github.com/jonboulle/clockwork v0.5.0 // indirect
	github.com/lockpick-dev/lockpick/etcd/store v0.2.0 // indirect
	github.com/lockpick-dev/lockpick/mysql v0.2.0
	github.com/lockpick-dev/lockpick/postgres v0.2.0
	github.com/lockpick-dev/lockpick/zookeeper v0.2.0
	github.com/petermattis/goid v0.0.0-20260820044319-269ab09b5261 // indirect
	github.com/yuin/gopher-lua v1.1.1 // indirect
	go.etcd.io/etcd/api/v3 v3.6.16 // indirect
	go.etcd.io/etcd/client/pkg/v3 v3.6.16 // indirect
	go.uber.org/multierr v1.11.0 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20260803160001-6ac0973c030d // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260803160001-6ac0973c030d // indirect
	google.golang.org/grpc v1.83.2 // indirect
	google.golang.org/protobuf v1.36.11 // indirect
)

replace (
	github.com/lockpick-dev/lockpick => ../../
	github.com/lockpick-dev/lockpick/etcd => ../../etcd
	github.com/lockpick-dev/lockpick/etcd/store => ../../etcd/store
	github.com/lockpick-dev/lockpick/real => ../../real
)

replace github.com/lockpick-dev/lockpick/zookeeper => ../../zookeeper

replace github.com/lockpick-dev/lockpick/mysql => ../../mysql

replace github.com/lockpick-dev/lockpick/postgres => ../../postgres

replace github.com/lockpick-dev/lockpick/kube => ../../kube

replace github.com/lockpick-dev/lockpick/s3 => ../../s3
