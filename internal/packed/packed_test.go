package packed_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/packed"
)

// write is what Write writes of a text.
func write(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := packed.Write(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// long is a text that is just long enough to be compressed.
func long() []byte { return bytes.Repeat([]byte("lock,"), packed.Above/5+1) }

// TestWriteRead: what is short stays as it is, and what is long becomes short; both are read
// as they were, and written twice they have the same bytes.
func TestWriteRead(t *testing.T) {
	for _, text := range [][]byte{nil, []byte("{}\n"), long()[:packed.Above], long()} {
		file := write(t, text)
		if compressed := len(file) < len(text); compressed != (len(text) > packed.Above) || !compressed && !bytes.Equal(file, text) {
			t.Errorf("%d bytes became %d", len(text), len(file))
		}
		if again := write(t, text); !bytes.Equal(again, file) {
			t.Errorf("%d bytes were written differently the second time", len(text))
		}
		got, err := packed.Read(bytes.NewReader(file), 2*packed.Above)
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%d bytes were read as %d: %v", len(text), len(got), err)
		}
	}
}

// TestReadRefuses: what is too long, damaged or more than one text is refused, with the
// reason.
func TestReadRefuses(t *testing.T) {
	whole := write(t, long())
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 0xff
	checksum := bytes.Clone(whole)
	checksum[len(checksum)-5] ^= 0xff
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"too long":    {long(), "longer than 1 MiB"},
		"bomb":        {bomb(t, 1<<24), "decompresses to more than 1 MiB"},
		"truncated":   {whole[:len(whole)-1], "truncated: the compressed file ends early"},
		"header":      {whole[:5], "truncated: the compressed file ends early"},
		"no header":   {[]byte("\x1f\x8bhello, world"), "the compressed file is damaged (gzip: invalid header)"},
		"checksum":    {checksum, "the compressed file is damaged (gzip: invalid checksum)"},
		"damaged":     {damaged, "the compressed file is damaged"},
		"two texts":   {append(bytes.Clone(whole), whole...), "something follows"},
		"more behind": {append(bytes.Clone(whole), ' '), "something follows"},
	} {
		most := 2 * packed.Above
		if strings.HasPrefix(c.want, "longer") || name == "bomb" {
			most = packed.Above
		}
		text, err := packed.Read(bytes.NewReader(c.file), most)
		if err == nil || !strings.Contains(err.Error(), c.want) || text != nil && name != "checksum" {
			t.Errorf("%s: %d bytes, %v; want %q", name, len(text), err, c.want)
		}
		var tooLong *packed.TooLong
		if errors.As(err, &tooLong) != (most == packed.Above) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// bomb is a small file that decompresses to so many bytes.
func bomb(t *testing.T, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.CopyN(z, zeros{}, size); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// counted counts what is read.
type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

// TestBombIsNotRead: of a file that decompresses to far too much only the beginning is read.
func TestBombIsNotRead(t *testing.T) {
	file := bomb(t, 1<<27)
	in := &counted{Reader: bytes.NewReader(file)}
	if _, err := packed.Read(in, 1<<20); err == nil || in.n > len(file)/8 {
		t.Errorf("%d of %d bytes were read: %v", in.n, len(file), err)
	}
}

// TestReadError: what fails while it is read is said.
func TestReadError(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, before := range []string{"", "{", "\x1f", "\x1f\x8b", string(write(t, long())[:100])} {
		in := io.MultiReader(strings.NewReader(before), failing{broken})
		if _, err := packed.Read(in, 1<<20); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", len(before), err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// FuzzRead: whatever is read is no longer than allowed, and whatever was written is read.
func FuzzRead(f *testing.F) {
	f.Add([]byte("{}\n"), 100)
	f.Add([]byte("\x1f\x8b\x08\x00"), 100)
	f.Add(write(f, long())[:300], 100)
	f.Add([]byte{}, 0)
	f.Fuzz(func(t *testing.T, data []byte, most int) {
		most = max(0, most%(1<<16))
		text, err := packed.Read(bytes.NewReader(data), most)
		if err == nil && len(text) > most {
			t.Fatalf("%d bytes, and at most %d are allowed", len(text), most)
		}
		if err == nil && !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) && !bytes.Equal(text, data) {
			t.Fatalf("%q was read as %q", data, text)
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(data) // a buffer takes everything
		_ = z.Close()
		again, err := packed.Read(&b, len(data))
		if err != nil || !bytes.Equal(again, data) {
			t.Fatalf("compressed and read again: %d bytes of %d, %v", len(again), len(data), err)
		}
	})
}

// TestEntries: containers and entries of lists count, members of objects and texts do not.
func TestEntries(t *testing.T) {
	const text = `{"a":[1,2,3],"b":"[,,,{\"[","c":[{"x":1,"y":2},{}]}` // 5 containers, 3 commas in lists
	if err := packed.Entries([]byte(text), 8, 3); err != nil {
		t.Error(err)
	}
	for want, err := range map[string]error{
		"more than 7 entries":       packed.Entries([]byte(text), 7, 3),
		"nested more than 2 deep":   packed.Entries([]byte(text), 8, 2),
		"more than 1000 entries":    packed.Entries(bytes.Repeat([]byte("[]"), 1001), 1000, 1),
		"nested more than 100 deep": packed.Entries(bytes.Repeat([]byte("{"), 101), 1000, 100),
	} {
		var many *packed.TooMany
		if !errors.As(err, &many) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, odd := range []string{"", "]]],,,", `"never closed`, `"\`} {
		if err := packed.Entries([]byte(odd), 1, 1); err != nil {
			t.Errorf("%s: %v", odd, err)
		}
	}
}
