module github.com/lockpick-dev/lockpick/etcd/store

go 1.26

require (
	github.com/lockpick-dev/lockpick v0.2.0
	golang.org/x/net v0.47.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/jonboulle/clockwork v0.5.0 // indirect
	github.com/petermattis/goid v0.0.0-20260820044319-269ab09b5261 // indirect
	golang.org/x/text v0.31.0 // indirect
)

replace github.com/lockpick-dev/lockpick => ../../
