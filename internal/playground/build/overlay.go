package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// platformed are files of client libraries that are built by the operating system: whether a pooled connection is
// looked at before it is used again. For GOOS=js they are built as for Linux, so that runs in a browser are those of a
// machine: the look is a call of the simulated connection, and no system call.
var platformed = []struct{ module, with, without string }{
	{"github.com/redis/go-redis/v9", "internal/pool/conn_check.go", "internal/pool/conn_check_dummy.go"},
	{"github.com/go-sql-driver/mysql", "conncheck.go", "conncheck_dummy.go"},
}

// constraint is a build constraint.
var constraint = regexp.MustCompile(`(?m)^//go:build (.*)\n(// \+build .*\n)*`)

// overlay writes, into a directory, what go build -overlay takes, and returns its path.
func overlay(dir, goCommand string) (string, error) {
	replace := map[string]string{}
	for i, f := range platformed {
		out, err := exec.Command(goCommand, "list", "-m", "-f", "{{.Dir}}", f.module).Output()
		if err != nil {
			return "", fmt.Errorf("where %s is: %w", f.module, err)
		}
		root := strings.TrimSpace(string(out))
		for file, js := range map[string]string{f.with: "js || ($1)", f.without: "!js && ($1)"} { // unordered: into a map
			path := filepath.Join(root, filepath.FromSlash(file))
			text, err := os.ReadFile(path)
			if err != nil {
				return "", err
			}
			if !constraint.Match(text) {
				return "", fmt.Errorf("%s has no build constraint any more: see whether connections are looked at there for GOOS=js, and mend the list platformed", path)
			}
			copied := filepath.Join(dir, strconv.Itoa(i)+"_"+filepath.Base(file))
			if err := os.WriteFile(copied, constraint.ReplaceAll(text, []byte("//go:build "+js+"\n")), 0o600); err != nil {
				return "", err
			}
			replace[path] = copied
		}
	}
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, raw, 0o600)
}
