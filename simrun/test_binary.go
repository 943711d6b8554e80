package simrun

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/overlay"
	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// This file runs commands about the trace of a test: only its test binary has the lock, so the binary is built and
// started.

// host returns this program as one that runs commands about traces.
func (a *app) host() *recorded.Host {
	return &recorded.Host{Output: a.output(), Known: a.registry(), Cell: a.registry().Of, Worker: a.worker, Versions: a.versions()}
}

func (a *app) output() recorded.Output {
	l := newLive(a.err)
	return recorded.Output{Program: a.name, Out: a.out, Err: a.err, Color: painter(a.out).On, Width: widthOf(a.out), Show: l.show, Clear: l.clear}
}

// of runs a command about a trace at a path, here or in the test binary that has its lock.
func (a *app) of(ctx context.Context, t *traces.Trace, path string, c recorded.Command) error {
	if !a.needsTest(t) {
		return c.Run(ctx, a.host())
	}
	b, remove, err := testBinary(ctx, t, path)
	if err != nil {
		return err
	}
	defer remove()
	s, err := b.Start(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	err = s.Run(c, a.output())
	if ctx.Err() != nil {
		return ctx.Err() // it was interrupted, and so was the test binary
	}
	return err
}

// clientCmd is a process of a lock on real servers.
type clientCmd struct{}

// Run serves on pipes beside the standard ones.
func (clientCmd) Run(a *app) error {
	return realclient.Serve(realclient.Locks{Of: a.registry().Of, Decode: a.registry().Decode})
}

// needsTest reports whether only a test has the lock of a trace.
func (a *app) needsTest(t *traces.Trace) bool {
	if t.Test == nil || t.Real != nil {
		return false
	}
	_, err := a.registry().Lock(t.Lock)
	return err != nil
}

// importPath matches the import paths that a trace may name. They are neither flags nor patterns nor paths of the file
// system.
var importPath = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_~.+-]*(/[A-Za-z0-9_~+-][A-Za-z0-9_~.+-]*)*$`)

// testBinary builds the tests of a trace's package, which must be in the main module of the working directory. The caller calls remove.
func testBinary(ctx context.Context, t *traces.Trace, path string) (b *recorded.Binary, remove func(), err error) {
	pkg, err := packageOf(ctx, t.Test.Package)
	if err != nil {
		return nil, nil, usageError{fmt.Errorf("%s is a trace of a test's lock, %s in %s, and its test binary must be built: %w", path, t.Test.Name, wording.Printable(t.Test.Package), err)}
	}
	dir, err := os.MkdirTemp("", "simrun-test-")
	if err != nil {
		return nil, nil, err
	}
	b = &recorded.Binary{Path: filepath.Join(dir, "test"), Dir: pkg.Dir, Test: *t.Test}
	args := []string{"test", "-c", "-o", b.Path}
	if slices.ContainsFunc(t.Tape, func(c sim.Choice) bool { return c.Kind == sim.Wake }) {
		name, err := overlayOf(ctx)
		if err != nil {
			return nil, nil, errors.Join(err, os.RemoveAll(dir))
		}
		args = append(args, "-overlay="+name)
	}
	if _, err = goCommand(ctx, append(args, pkg.ImportPath)...); err != nil {
		return nil, nil, usageError{errors.Join(fmt.Errorf("the tests of %s cannot be built: %w", pkg.ImportPath, err), os.RemoveAll(dir))}
	}
	if _, err := os.Stat(b.Path); err != nil { // go test -c prints nothing in this case
		return nil, nil, usageError{errors.Join(fmt.Errorf("%s has no tests", pkg.ImportPath), os.RemoveAll(dir))}
	}
	return b, func() { _ = os.RemoveAll(dir) }, nil
}

// goPackage is the output of go list for a package.
type goPackage struct {
	ImportPath, Dir string
	Module          *struct {
		Path string
		Main bool
	}
}

// packageOf finds a package that a trace names. A trace may come from anywhere, so it can only name packages of the user's
// module.
func packageOf(ctx context.Context, name string) (*goPackage, error) {
	if name == "" {
		return nil, errors.New("it does not name the package")
	}
	if !importPath.MatchString(name) || slices.Contains(strings.Split(name, "/"), "..") || path.Clean(name) != name {
		return nil, errors.New("that is not an import path")
	}
	out, err := goCommand(ctx, "list", "-find", "-json=ImportPath,Dir,Module", "--", name)
	if err != nil {
		return nil, fmt.Errorf("call simrun in the module of that package: %w", err)
	}
	var p goPackage
	if err := json.Unmarshal(out, &p); err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	if p.ImportPath != name || p.Module == nil || !p.Module.Main || p.Dir == "" {
		return nil, errors.New("it is no package of the module of the working directory: call simrun in its module")
	}
	return &p, nil
}

// located returns the path of a trace, which may be named by the package whose tests have kept it.
func located(ctx context.Context, name string) (string, error) {
	pkg, path, kept := gotest.IsKept(filepath.ToSlash(name))
	if _, err := os.Stat(name); err == nil || !kept || !importPath.MatchString(pkg) {
		return name, nil // reading it returns the error
	}
	p, err := packageOf(ctx, pkg)
	if err != nil {
		return "", usageError{fmt.Errorf("there is no file %s, and in %s: %w", name, pkg, err)}
	}
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return name, nil
	}
	return shorter(filepath.Join(p.Dir, filepath.FromSlash(path))), nil
}

// shorter returns a path relative to the working directory, if that is shorter.
func shorter(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

// goCommand runs the go command. Its error has the output.
func goCommand(ctx context.Context, args ...string) ([]byte, error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s", args[0], err, wording.Indent(strings.TrimSpace(said.String())))
	}
	return out, err
}

// overlayOf writes the overlay of the Go runtime, and returns its name.
func overlayOf(ctx context.Context) (string, error) {
	out, err := goCommand(ctx, "env", "-json", "GOROOT", "GOVERSION")
	if err != nil {
		return "", fmt.Errorf("the overlay is for the go command, which does not name its installation: %w", err)
	}
	var env struct{ GOROOT, GOVERSION string }
	if err := json.Unmarshal(out, &env); err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	dir, err := overlay.Dir()
	if err != nil {
		return "", err
	}
	name, err := overlay.Write(env.GOROOT, env.GOVERSION, dir)
	if err != nil {
		return "", usageError{err}
	}
	return name, nil
}
