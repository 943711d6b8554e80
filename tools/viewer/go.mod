module github.com/lockpick-dev/lockpick/tools/viewer

go 1.26.0

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/lockpick-dev/lockpick v0.2.0
)

require (
	github.com/aws/aws-sdk-go-v2 v1.47.3 // indirect
	github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream v1.7.22 // indirect
	github.com/aws/aws-sdk-go-v2/credentials v1.20.9 // indirect
	github.com/aws/aws-sdk-go-v2/internal/configsources v1.5.6 // indirect
	github.com/aws/aws-sdk-go-v2/internal/endpoints/v2 v2.8.6 // indirect
	github.com/aws/aws-sdk-go-v2/internal/v4a v1.5.6 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/accept-encoding v1.13.21 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/checksum v1.11.7 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/presigned-url v1.14.6 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/s3shared v1.20.6 // indirect
	github.com/aws/aws-sdk-go-v2/service/s3 v1.114.3 // indirect
	github.com/aws/smithy-go v1.28.5 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/pgx/v5 v5.13.0 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	github.com/lib/pq v1.12.3 // indirect
	github.com/lockpick-dev/lockpick/kube v0.2.0 // indirect
	github.com/lockpick-dev/lockpick/s3 v0.2.0 // indirect
	github.com/zeebo/xxh3 v1.0.2 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	github.com/alicebob/miniredis/v2 v2.40.0 // indirect
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dgryski/go-rendezvous v0.0.0-20200823014737-9f7001d12a5f // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/go-sql-driver/mysql v1.10.1 // indirect
	github.com/go-zookeeper/zk v1.0.4 // indirect
	github.com/jonboulle/clockwork v0.5.0 // indirect
	github.com/lockpick-dev/lockpick/lab v0.2.0
	github.com/lockpick-dev/lockpick/mysql v0.2.0 // indirect
	github.com/lockpick-dev/lockpick/playground v0.2.0
	github.com/lockpick-dev/lockpick/postgres v0.2.0 // indirect
	github.com/lockpick-dev/lockpick/zookeeper v0.2.0 // indirect
	github.com/petermattis/goid v0.0.0-20260820044319-269ab09b5261 // indirect
	github.com/redis/go-redis/v9 v9.0.5 // indirect
	github.com/yuin/gopher-lua v1.1.1 // indirect
)

replace github.com/lockpick-dev/lockpick => ../..

replace github.com/lockpick-dev/lockpick/zookeeper => ../../zookeeper

replace github.com/lockpick-dev/lockpick/lab => ../../lab

replace github.com/lockpick-dev/lockpick/etcd => ../../etcd

replace github.com/lockpick-dev/lockpick/etcd/store => ../../etcd/store

replace github.com/lockpick-dev/lockpick/playground => ../../playground

replace github.com/lockpick-dev/lockpick/mysql => ../../mysql

replace github.com/lockpick-dev/lockpick/postgres => ../../postgres

replace github.com/lockpick-dev/lockpick/kube => ../../kube

replace github.com/lockpick-dev/lockpick/s3 => ../../s3
