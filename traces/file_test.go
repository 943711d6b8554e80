package traces_test

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces"
)

func TestWriteFileReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gc-pause.trace")
	want := sampletraces.GCPause()
	for range 2 { // the second replaces the first
		if err := traces.WriteFile(path, want); err != nil {
			t.Fatal(err)
		}
	}
	got, err := traces.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("read another trace than was written")
	}
	onlyFile(t, path)
}

// A failed write leaves what was there, and nothing else.
func TestWriteFileFailsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.trace")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := traces.WriteFile(path, &traces.Trace{Schema: traces.Schema + 1}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "old" {
		t.Errorf("the old file is now %q, %v", data, err)
	}
	onlyFile(t, path)
}

func onlyFile(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
}

func TestWriteFileIntoNoDirectory(t *testing.T) {
	if err := traces.WriteFile(filepath.Join(t.TempDir(), "no", "such", "x.trace"), sampletraces.Calm()); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}

func TestReadFileErrorsNameTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.trace")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := traces.ReadFile(path); err == nil || !strings.HasPrefix(err.Error(), path+": trace: truncated") {
		t.Errorf("got %v", err)
	}
	if _, err := traces.ReadFile(path + ".none"); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}

// TestReplaceNoDevice: a device stays one; a file in the place of /dev/null would harm the whole machine.
func TestReplaceNoDevice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "null")
	if err := os.Symlink(os.DevNull, path); err != nil {
		t.Skipf("a device cannot be named here: %v", err)
	}
	err := traces.Replace(path, func(io.Writer) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("got %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
		t.Errorf("the device is %v, %v", info, err)
	}
}
