package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// platformed are files of client libraries with build constraints on the operating system: they check a pooled connection
// before it is used again. For GOOS=js they are built as for Linux, so that runs in a browser are those of a machine: the
// check is a call of the simulated connection, and no system call.
var platformed = []struct{ module, with, without string }{
	{"github.com/redis/go-redis/v9", "internal/pool/conn_check.go", "internal/pool/conn_check_dummy.go"},
	{"github.com/go-sql-driver/mysql", "conncheck.go", "conncheck_dummy.go"},
}

// constraint is a build constraint.
var constraint = regexp.MustCompile(`(?m)^//go:build (.*)\n(// \+build .*\n)*`)

// modfile writes copies of these libraries with other constraints into a directory, and a go.mod that replaces the
// libraries by them, for go build -modfile. It returns its path.
func modfile(dir, goCommand string) (string, error) {
	out, err := exec.Command(goCommand, "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("%s env GOMOD: %w", goCommand, err)
	}
	own := filepath.Dir(strings.TrimSpace(string(out)))
	mod, err := os.ReadFile(filepath.Join(own, "go.mod"))
	if err != nil {
		return "", err
	}
	sum, err := os.ReadFile(filepath.Join(own, "go.sum"))
	if err != nil {
		return "", err
	}
	for i, f := range platformed {
		root, err := exec.Command(goCommand, "list", "-m", "-f", "{{.Dir}}", f.module).Output()
		if err != nil {
			return "", fmt.Errorf("where %s is: %w", f.module, err)
		}
		copied := filepath.Join(dir, strconv.Itoa(i))
		if err := os.CopyFS(copied, os.DirFS(strings.TrimSpace(string(root)))); err != nil {
			return "", err
		}
		if err := constrain(filepath.Join(copied, filepath.FromSlash(f.with)), "js || ($1)"); err != nil {
			return "", err
		}
		if err := constrain(filepath.Join(copied, filepath.FromSlash(f.without)), "!js && ($1)"); err != nil {
			return "", err
		}
		mod = fmt.Appendf(mod, "\nreplace %s => %s\n", f.module, strconv.Quote(copied))
	}
	path := filepath.Join(dir, "go.mod")
	if err := os.WriteFile(path, mod, 0o600); err != nil {
		return "", err
	}
	return path, os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o600)
}

// constrain changes the build constraint of a file; $1 stands for its own.
func constrain(path, to string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !constraint.Match(text) {
		return fmt.Errorf("%s has no build constraint any more: see whether connections are looked at there for GOOS=js, and mend the list platformed", path)
	}
	if err := os.Remove(path); err != nil { // copies of the module cache are read-only
		return err
	}
	return os.WriteFile(path, constraint.ReplaceAll(text, []byte("//go:build "+to+"\n")), 0o600)
}
