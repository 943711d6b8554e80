package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// module is a module of a program.
type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *module
}

// Local returns the sources that the go command finds in a directory: those of the module there, and of Lockpick's locks.
// Versions are those of all modules.
func Local(ctx context.Context, dir string) (_ Sources, versions map[string]string, err error) {
	modules, err := listModules(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	versions = map[string]string{}
	for _, m := range modules {
		if m.Version != "" && m.Replace == nil {
			versions[m.Path] = m.Version
		}
	}
	return func(at string) fs.FS {
		at = strings.TrimSuffix(at, "_test")
		for _, m := range modules {
			rest, ok := strings.CutPrefix(at+"/", m.Path+"/")
			lockpicks := slices.Contains(withLocks, m.Path)
			if !ok || m.Dir == "" || lockpicks && !copied(at) || !lockpicks && !m.Main {
				continue
			}
			if d := os.DirFS(filepath.Join(m.Dir, filepath.FromSlash(rest))); isGo(d) {
				return d
			}
		}
		return nil
	}, versions, nil
}

// listModules lists the modules of the package in a directory and of its tests.
func listModules(ctx context.Context, dir string) (list []module, err error) {
	c := exec.CommandContext(ctx, "go", "list", "-deps", "-test", "-json=Module", ".")
	c.Dir = dir
	text, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("go list in %s: %w\n%s", dir, err, exit.Stderr)
	}
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w", dir, err)
	}
	known := map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p struct{ Module *module }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list in %s: %w", dir, err)
		}
		if m := p.Module; m != nil && !known[m.Path] {
			known[m.Path] = true
			if m.Replace != nil && m.Replace.Version != "" { // by another version
				m.Version, m.Replace = m.Replace.Version, nil
			}
			list = append(list, *m)
		}
	}
}

// withLocks are Lockpick's modules with locks.
var withLocks = []string{modulePath, modulePath + "/etcd", modulePath + "/zookeeper", modulePath + "/mysql", modulePath + "/postgres"}

// copied reports whether a package of Lockpick is copied: it has locks.
func copied(at string) bool {
	rest, ok := strings.CutPrefix(at, modulePath+"/")
	if !ok {
		return false
	}
	if rest == "lock" || strings.HasPrefix(rest, "lock/") {
		return true
	}
	parts := strings.SplitN(strings.TrimPrefix(rest, "stores/"), "/", 3) // a store, or the module of one, and the rest
	return len(parts) > 1 && (parts[1] == "builtin" || strings.HasSuffix(parts[1], "locks"))
}

// Embedded finds the sources of Lockpick's locks in the trees of its modules, by the modules' paths.
func Embedded(trees map[string]fs.FS) Sources {
	return func(at string) fs.FS {
		if !copied(at) {
			return nil
		}
		for module, tree := range trees { // unordered: a package is in one of them
			if rest, is := strings.CutPrefix(at, module+"/"); is {
				if d, err := fs.Sub(tree, rest); err == nil && isGo(d) {
					return d
				}
			}
		}
		return nil
	}
}

// Built returns the versions of the modules in this program.
func Built() map[string]string {
	versions := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			versions[m.Path] = m.Version
		}
	}
	return versions
}
