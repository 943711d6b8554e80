package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// failing notes how a test would fail.
type failing struct {
	testing.TB
	with string
}

func (f *failing) Helper() {}

func (f *failing) Errorf(format string, args ...any) { f.with = fmt.Sprintf(format, args...) }

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("1\n<begin>2\n<end>3\n<end>"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what    string
		compare func(t testing.TB)
		says    string
	}{
		{"the same", func(t testing.TB) { File(t, path, "1\n<begin>2\n<end>3\n<end>") }, ""},
		{"another line", func(t testing.TB) { File(t, path, "1\n<begin>4\n<end>3\n<end>") }, "line 2:\n got: <begin>4\nwant: <begin>2\n"},
		{"the beginning", func(t testing.TB) { File(t, path, "1\n<begin>2") }, "line 3:\n got: (the end)\nwant: <end>3\n"},
		{"the same part", func(t testing.TB) { Part(t, path, "<begin>", "<end>", "2\n") }, ""},
		{"another part", func(t testing.TB) { Part(t, path, "<begin>", "<end>", "4\n") }, "line 2:\n got: <begin>4\nwant: <begin>2\n"},
	} {
		f := &failing{TB: t}
		c.compare(f)
		if !strings.Contains(f.with, c.says) || (c.says == "") != (f.with == "") {
			t.Errorf("%s: %q, want %q", c.what, f.with, c.says)
		}
	}
}

// TestUpdate: the part of a file is rewritten, and nothing else of it.
func TestUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("1 (2) 3 (4)"), 0o666); err != nil {
		t.Fatal(err)
	}
	defer func(was bool) { *Update = was }(*Update)
	*Update = true
	Part(t, path, "(", ")", "new")
	if text, err := os.ReadFile(path); string(text) != "1 (new) 3 (4)" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// TestPinned: only with another version of the library a test is skipped.
func TestPinned(t *testing.T) {
	for other, skips := range map[string]bool{"": false, "a/b v1.2.3": true, "a/b/c v1.2.3": false} {
		skipped := false
		t.Run(other, func(t *testing.T) {
			t.Setenv(Other, other)
			defer func() { skipped = t.Skipped() }()
			Pinned(t, "a/b")
		})
		if skipped != skips {
			t.Errorf("with %q: skipped is %v", other, skipped)
		}
	}
}
