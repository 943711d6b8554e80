package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
)

// A sum that is not that of the file, a file too many and one too few are seen.
func TestChecksums(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a", "a")
	write("checksums.txt", fmt.Sprintf("%x  a\n", sha256.Sum256([]byte("a"))))
	if err := checksums(dir, []string{"a"}); err != nil {
		t.Error(err)
	}
	for _, want := range [][]string{nil, {"a", "b"}} {
		if checksums(dir, want) == nil {
			t.Errorf("%v are wanted, and a is accepted", want)
		}
	}
	write("a", "b")
	if err := checksums(dir, []string{"a"}); err == nil || !strings.Contains(err.Error(), "a has the checksum") {
		t.Errorf("a file that was changed: %v", err)
	}
}

// A list of modules names each client library in its version.
func TestModules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sbom")
	const list = `{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{"name":"github.com/redis/go-redis/v9","version":"v9.0.5"},{"name":"google.golang.org/grpc","version":"v1"}]}`
	for _, c := range []struct{ text, client, version, says string }{
		{list, "go-redis", "v9.0.5", ""},
		{list, "google.golang.org/grpc", "v1", ""},
		{list, "go-redis", "v9.0.6", "does not name go-redis v9.0.6"},
		{list, "redis", "v9.0.5", "does not name redis v9.0.5"},
		{`{"spdxVersion":"SPDX-2.3"}`, "go-redis", "v9.0.5", "want CycloneDX"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := modules(path, map[string]string{c.client: c.version})
		if text := fmt.Sprint(err); (c.says == "") != (err == nil) || !strings.Contains(text, c.says) && err != nil {
			t.Errorf("%s %s: %v, want %q", c.client, c.version, err, c.says)
		}
	}
}

// A program that is another than was to be built is seen.
func TestProgram(t *testing.T) {
	text := func(version, commit, modified string) []byte {
		return fmt.Appendf(nil, `{"lockpick":%q,"commit":%q,"modified":%s,"platform":"%s/%s","stores":["redis","zookeeper","mysql","postgres","file","etcd"],"clients":{"go-redis":"v9.0.5"}}`,
			version, commit, modified, runtime.GOOS, runtime.GOARCH)
	}
	want := wanted{"c0ffee", "etcd,file,mysql,postgres,redis,zookeeper"}
	if _, err := readProgram(text(cell.Version, "c0ffee", "false"), want); err != nil {
		t.Error(err)
	}
	for says, text := range map[string][]byte{
		"lockpick is": text("0.0.1", "c0ffee", "false"), "commit is": text(cell.Version, "", "false"), "modified is": text(cell.Version, "c0ffee", "true"),
	} {
		if _, err := readProgram(text, want); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}
