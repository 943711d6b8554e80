package builtin

import "fmt"

// whole says how to get the program that has all stores and commands.
const whole = "the program github.com/lockpick-dev/lockpick/lab/cmd/simrun has %s: go get -tool github.com/lockpick-dev/lockpick/lab/cmd/simrun makes it a tool of your module, in place of this one; " +
	"in a checkout of the repository make build makes it, as bin/simrun"

// Elsewhere returns how to get what the programs of this module lack: by the name of a command, the name of a store, or the letters that the
// ids of its locks begin with.
func Elsewhere() map[string]string {
	how := map[string]string{}
	for name, store := range map[string]string{"zookeeper": "zookeeper", "curator": "zookeeper", "zklib": "zookeeper", "mysql": "mysql", "db": "mysql", "postgres": "postgres", "pg": "postgres", "etcd": "etcd", "kube": "kube", "s3": "s3"} { // unordered: each by itself
		how[name] = fmt.Sprintf("the locks over %s are in a module of their own; "+whole, store, "them")
	}
	for _, command := range []string{"attach", "confirm", "envelope", "experiment", "export"} {
		how[command] = fmt.Sprintf(whole, "this command")
	}
	return how
}
