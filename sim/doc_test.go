package sim

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestReadingOrder: the package's comment names every file of the package, and no
// other, once.
func TestReadingOrder(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, item := range regexp.MustCompile(`(?m)^//   - (\w+\.go): \S.*$`).FindAllSubmatch(text, -1) {
		named = append(named, string(item[1]))
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(name string) bool { return name == "doc.go" || strings.HasSuffix(name, "_test.go") })
	slices.Sort(named)
	if !slices.Equal(named, files) {
		t.Errorf("doc.go names\n%v, the files are\n%v", named, files)
	}
}
