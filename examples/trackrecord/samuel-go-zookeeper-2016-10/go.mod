module github.com/lockpick-dev/lockpick/examples/trackrecord/samuel-go-zookeeper-2016-10

go 1.26.0

require (
	github.com/lockpick-dev/lockpick v0.2.0
	github.com/lockpick-dev/lockpick/examples/trackrecord/samuel-go-zookeeper-2016-09 v0.0.0
	github.com/lockpick-dev/lockpick/zookeeper v0.2.0
)

require (
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/go-zookeeper/zk v1.0.4 // indirect
	github.com/jonboulle/clockwork v0.5.0 // indirect
	github.com/petermattis/goid v0.0.0-20260820044319-269ab09b5261 // indirect
	github.com/samuel/go-zookeeper v0.0.0-20161028232340-1d7be4effb13 // indirect
)

replace github.com/lockpick-dev/lockpick => ../../..

replace github.com/lockpick-dev/lockpick/zookeeper => ../../../zookeeper

replace github.com/lockpick-dev/lockpick/examples/trackrecord/samuel-go-zookeeper-2016-09 => ../samuel-go-zookeeper-2016-09
