package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
)

// What others import of modules besides Lockpick's own asks for a version of Lockpick that there is: who gets such a
// module does not see its replace directives.
func TestRequired(t *testing.T) {
	const required = "github.com/lockpick-dev/lockpick v"
	for _, module := range []string{"real", "zookeeper", "mysql", "postgres", "etcd/store", "etcd", "lab", "fleet", "lock/pull/pullotel"} {
		text, err := os.ReadFile(filepath.Join("../../..", module, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		_, after, found := strings.Cut(string(text), required)
		if version, _, _ := strings.Cut(after, "\n"); !found || version != cell.Version {
			t.Errorf("%s/go.mod requires Lockpick v%s, want v%s, the version of cell/version.go", module, version, cell.Version)
		}
	}
}

// The command that everybody installs is in a module without replace directives, which go install refuses.
func TestInstallable(t *testing.T) {
	text, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "\nreplace") {
		t.Error("go.mod has a replace directive: go install github.com/lockpick-dev/lockpick/cmd/simrun@latest refuses that")
	}
}
