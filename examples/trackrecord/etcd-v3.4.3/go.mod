module github.com/lockpick-dev/lockpick/examples/trackrecord/etcd-v3.4.3

go 1.26

require (
	github.com/lockpick-dev/lockpick v0.2.0
	go.etcd.io/etcd v0.5.0-alpha.5.0.20191023171146-3cf2f69b5738 // v3.4.3
	go.uber.org/zap v1.10.0
	google.golang.org/grpc v1.23.1
)

require (
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/coreos/go-systemd v0.0.0-20180511133405-39ca1b05acc7 // indirect
	github.com/coreos/pkg v0.0.0-20160727233714-3ac0863d7acf // indirect
	github.com/gogo/protobuf v1.2.1 // indirect
	github.com/golang/protobuf v1.3.2 // indirect
	github.com/google/uuid v1.0.0 // indirect
	github.com/jonboulle/clockwork v0.5.0 // indirect
	github.com/lockpick-dev/lockpick/etcd/store v0.2.0
	github.com/petermattis/goid v0.0.0-20260820044319-269ab09b5261 // indirect
	go.uber.org/atomic v1.3.2 // indirect
	go.uber.org/multierr v1.1.0 // indirect
	golang.org/x/net v0.47.0 // indirect
	golang.org/x/sys v0.38.0 // indirect
	golang.org/x/text v0.31.0 // indirect
	google.golang.org/genproto v0.0.0-20180817151627-c66870c02cf8 // indirect
)

replace github.com/lockpick-dev/lockpick => ../../..

// What the client was released with. Later versions of gRPC do not have what it uses.
replace google.golang.org/grpc => google.golang.org/grpc v1.23.1

replace github.com/lockpick-dev/lockpick/etcd/store => ../../../etcd/store
