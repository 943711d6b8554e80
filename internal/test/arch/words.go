package arch

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
)

// StoreWords are words of one store. Where they stand, code knows that store.
var StoreWords = regexp.MustCompile(`(?i)\b(go-?redis|redis\d*|primar(y|ies)|replicas?|zoo-?keeper|znodes?|zk\d*|etcd\d*|my-?sql|maria-?db|innodb|postgres(ql)?|pgx(pool)?|pg-?bouncer|nfs(v?[34][.0-9]*)?|flocks?)\b`)

// KnowsStores are the directories and files that may name a store, each with the
// reason. Tests may everywhere.
var KnowsStores = map[string]string{
	"sim/simredis":                      "it is the store's server",
	"stores/redis":                      "it is the store's plug-in, with its locks",
	"lock/redislocks":                   "locks over it",
	"sim/failover":                      "it is about primaries and replicas",
	"zookeeper":                         "it is the store's module",
	"etcd":                              "it is the store's module",
	"internal/test/realetcd":            "starts a real one for tests",
	"playground/build":                  "it lists runs on every store, which the page compares, and files of client libraries",
	"playground/drawing/wasm":           "it has what reads the protocol of every store",
	"internal/realserver/left_linux.go": "it locks a file of this system",
	"mysql":                             "it is the store's module",
	"postgres":                          "it is the store's module",
	"kube":                              "it is the store's module",
	"sim/simfile":                       "it is the store's server",
	"stores/file":                       "it is the store's plug-in, with its locks",
	"lock/filelocks":                    "locks over it",
	"cell/no_store.go":                  "says in which module of its own a store is",
	"lock/doc.go":                       "says where the locks are",
	"model/doc.go":                      "has stores as examples",
	"model/ownership.go":                "says whose recipe a view reads",
	"model/record.go":                   "has stores as examples",
	"model/terms.go":                    "has a store's terms as an example",
	"scenarios/stage/store.go":          "has a store's name as an example",
	"traces/doc.go":                     "has a store's name as an example",
	"lock/pull":                         "its page shows how it is used with a store, and what a client library's retries do to it",
	"locktest/rapidtest":                "shows such tests",
	"cell/doc.go":                       "shows the test of a user's lock",
	"locktest":                          "shows such tests",
	"cmd/simrun/main.go":                "says which stores it knows",
	"stores/builtin":                    "lists the locks over each of them",
	"real/realcommand/attach.go":        "has the store that a search of other processes is over by default",
	"sources.go":                        "lists the directories with locks",
	"internal/test/arch":                "this list",
	"internal/test/api":                 "lists what is promised of each",
	"internal/test/realredis":           "starts a real one for tests",
	"internal/test/redislocktest":       "tests locks over it",
	"internal/test/testlocks":           "locks over it that misbehave",
	"internal/test/sampletraces":        "traces of it",
	"lab":                               "measures locks over each store",
	"bench/search":                      "searches locks over it",
	"bench/checker/published.go":        "reads histories that were recorded of it",
	"internal/test/cells":               "has the locks over it, for tests",
	"internal/test/teststore":           "names the stores that it is unlike",
	"real/redis":                        "it is the real store",
	"real/export":                       "what exported tests have of each of them: a server, its protocol, its records",
	"real/internal/confirmed":           "runs the corpus, which is of one store, and lists the modules of the track record",
}

// checkWords holds a file to knowing no store: its comments, names and texts.
func (m *Module) checkWords(f *file) {
	if f.test || knows(f.name) {
		return
	}
	ast.Inspect(f.File, func(n ast.Node) bool {
		text := ""
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false // the layout says who may
		case *ast.Comment:
			text = n.Text
		case *ast.Ident:
			text = n.Name
		case *ast.BasicLit:
			text = n.Value
		}
		if word := StoreWords.FindString(text); word != "" {
			m.add(n.Pos(), Words, fmt.Sprintf("%q is a word of one store", word),
				"say what holds for every store, take it from the store's terms, or give the reason in KnowsStores (internal/test/arch/words.go)")
		}
		return true
	})
}

// knows reports whether a file may name a store.
func knows(name string) bool {
	for where := range KnowsStores { // unordered: any will do
		if name == where || strings.HasPrefix(name, where+"/") {
			return true
		}
	}
	return false
}
