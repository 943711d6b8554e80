package builtin

import "fmt"

// Elsewhere says how to get a program with the locks over the stores of other modules, by the names of the stores and what the ids of
// the locks begin with.
func Elsewhere() map[string]string {
	how := map[string]string{}
	for name, module := range map[string]string{"zookeeper": "zookeeper", "curator": "zookeeper", "zklib": "zookeeper", "mysql": "mysql", "db": "mysql", "etcd": "etcd"} { // unordered: each by itself
		program := "github.com/lockpick-dev/lockpick/" + module + "/cmd/simrun"
		how[name] = fmt.Sprintf("the locks over %s are in a module of their own: the program %[2]s has them: go get -tool %[2]s makes it a tool of your module, in place of this one, and make build makes a program with all stores in a checkout of the repository, as bin/simrun", module, program)
	}
	return how
}
