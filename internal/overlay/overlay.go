// Package overlay changes the Go runtime for the go command's flag -overlay: it makes the choices of the runtime exact,
// and lets a run choose the order of goroutines that become runnable (sim/internal/goruntime). It also changes package
// net: a [net.Dialer] in a run dials the simulated network. Files of the Go installation are read, and never written.
package overlay

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/traces"
)

// An edit replaces a text that occurs once in a file below the directory src.
type edit struct{ file, old, new string }

// edits call the functions of runtime.go.txt and net.go.txt.
var edits = []edit{
	{"net/dial.go", dialContext, dialContext + `	if c, simulated, err := lockpickDial(ctx, network, address); simulated {
		return c, err
	}
`},
	{"runtime/proc.go", "if randomizeScheduler && next && randn(2) == 0 {", "if next && lockpickBehind(gp) {"},
	{"runtime/proc.go", "pd.schedwhen+forcePreemptNS <= now", "pd.schedwhen+lockpickSlice() <= now"},
	{"runtime/rand.go", "c := &mp.chacha8\n", "c := lockpickRand(mp)\n"},
	{"runtime/select.go", "j := cheaprandn(uint32(norder + 1))", "j := lockpickCase(norder)"},
	{"runtime/select.go", "\t// pass 2 - enqueue on all chans\n", "\tlockpickBlock(scases, pollorder)\n"},
	{"runtime/select.go", "\t\tif c.timer != nil {\n\t\t\tblockTimerChan(c)\n\t\t}\n", ""},
	{"runtime/sema.go", "func internal_sync_nanotime() int64 {\n\treturn nanotime()", "func internal_sync_nanotime() int64 {\n\treturn lockpickTime()"},
	{"runtime/time.go", "\t\tt.isFake = true\n\t}\n\tt.modify(", "\t\tt.isFake = true\n\t\tt.rand = t.lockpickRank()\n\t}\n\tt.modify("},
	{"runtime/time.go", "t.rand = cheaprand()", "t.rand = t.lockpickRank()"},
}

// dialContext is the beginning of the method by which all dialers of package net connect.
const dialContext = `func (d *Dialer) DialContext(ctx context.Context, network, address string) (Conn, error) {
	ctx, cancel := d.dialCtx(ctx)
	defer cancel()
`

// added are the new files.
var (
	//go:embed runtime.go.txt
	addedRuntime string
	//go:embed net.go.txt
	addedNet string
)

// Dir returns the directory of overlays.
func Dir() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "lockpick", "overlay"), err
}

// Write writes the overlay of a Go installation below a directory, and returns the name of the file for the flag -overlay.
// The version is that of the installation, for errors.
func Write(goroot, version, dir string) (name string, err error) {
	changed := map[string]string{"runtime/lockpick.go": addedRuntime, "net/lockpick.go": addedNet}
	for _, e := range edits {
		at := filepath.Join(goroot, "src", filepath.FromSlash(e.file))
		text, known := changed[e.file]
		if !known {
			raw, err := os.ReadFile(at)
			if err != nil {
				return "", fmt.Errorf("the overlay is made of the sources of %s: %w", version, err)
			}
			text = string(raw)
		}
		if n := strings.Count(text, e.old); n != 1 {
			return "", fmt.Errorf("%s has %q %d times, want once: Lockpick %s does not know the sources of %s; use Go 1.26, or a newer Lockpick",
				at, e.old, n, cell.Version, version)
		}
		changed[e.file] = strings.Replace(text, e.old, e.new, 1)
	}
	return write(filepath.Join(goroot, "src"), changed, dir)
}

// write writes changed files below a directory of sources, and the list of them. Their directory is named by a hash of its
// content, since other programs may be built with other ones.
func write(of string, changed map[string]string, dir string) (name string, err error) {
	hash := sha256.New()
	for _, file := range slices.Sorted(maps.Keys(changed)) {
		fmt.Fprintf(hash, "%q %q %q\n", of, file, changed[file])
	}
	dir = filepath.Join(dir, hex.EncodeToString(hash.Sum(nil)[:8]))
	replace := map[string]string{}
	for file := range changed { // unordered: another map is made
		replace[filepath.Join(of, filepath.FromSlash(file))] = filepath.Join(dir, flat(file))
	}
	list, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	changed["overlay.json"] = string(list) + "\n"
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	for file, text := range changed { // unordered: each is another file
		if err := traces.Replace(filepath.Join(dir, flat(file)), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "overlay.json"), nil
}

// flat returns the name of a changed file in the directory of the overlay, which all packages share.
func flat(file string) string { return strings.ReplaceAll(file, "/", "_") }
