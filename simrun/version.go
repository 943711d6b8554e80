package simrun

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// versionCmd prints the program's name, and what it was built from.
type versionCmd struct {
	JSON bool `name:"json" help:"Print it as JSON."`
}

// Run prints it. The first line is what --version prints: the versions that byte-identical replays
// depend on.
func (c versionCmd) Run(a *app) error {
	info, _ := debug.ReadBuildInfo()
	b := newBuild(a, info)
	if c.JSON {
		out := json.NewEncoder(wording.Data(a.out))
		out.SetIndent("", "  ")
		return out.Encode(b)
	}
	fmt.Fprintf(a.out, "%s, trace schema %d\n", a.versions(), traces.Schema)
	for _, line := range b.lines() {
		fmt.Fprintf(a.out, "  %-10s%s\n", line[0], line[1])
	}
	return nil
}

// build describes a program and what it was built from. Fields that the go command did not record are empty.
type build struct {
	Lockpick string `json:"lockpick"`
	Program  string `json:"program"` // the path of its main package
	// Module is the version of the program's module: of a release, or of a commit; "(devel)" if neither is known.
	Module   string `json:"module"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"`     // of the commit, by RFC 3339
	Modified bool   `json:"modified,omitempty"` // there were changes besides the commit
	Go       string `json:"go"`
	Platform string `json:"platform"` // operating system and architecture, as in linux/amd64
	// Stores are those whose locks it has.
	Stores []string `json:"stores"`
	// Clients are the versions of client libraries, by the paths of their modules or by their names.
	Clients     map[string]string `json:"clients"`
	TraceSchema int               `json:"trace_schema"`
}

// newBuild describes the program by what the go command recorded in it; nil if there is no such record.
func newBuild(a *app, info *debug.BuildInfo) build {
	b := build{
		Lockpick: cell.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Stores: storeIDs(cell.Stores(a.locks)), Clients: maps.Clone(a.versions()), TraceSchema: traces.Schema,
	}
	delete(b.Clients, "lockpick")
	delete(b.Clients, "go")
	if info == nil {
		return b
	}
	b.Program, b.Module = info.Path, info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// lines returns the same for people: names and values.
func (b *build) lines() (list [][2]string) {
	const unknown = "not recorded"
	commit := cmp.Or(b.Commit, unknown)
	if b.Modified {
		commit += ", with changes"
	}
	list = [][2]string{
		{"program", cmp.Or(b.Program, unknown)}, {"module", cmp.Or(b.Module, unknown)},
		{"commit", commit}, {"date", cmp.Or(b.Date, unknown)},
		{"go", strings.TrimPrefix(b.Go, "go")}, {"platform", b.Platform}, {"stores", strings.Join(b.Stores, ", ")},
	}
	name := "clients"
	for _, client := range slices.Sorted(maps.Keys(b.Clients)) {
		list = append(list, [2]string{name, client + " " + cmp.Or(b.Clients[client], unknown)})
		name = ""
	}
	return list
}
