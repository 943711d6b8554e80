package traces

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lockpick-dev/lockpick/internal/packed"
)

// ReadFile reads the trace at path.
func ReadFile(path string) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// ErrTooLong is returned for a trace that is too long to be read back.
var ErrTooLong = errors.New("the trace is longer than a trace may be")

// WriteFile writes a trace to path, completely or not at all, even if the machine fails. It replaces an existing file. A
// text longer than 1 MiB is compressed by gzip, under any name; one longer than [MaxSize] returns ErrTooLong.
func WriteFile(path string, t *Trace) error { return WriteFileWithin(path, t, MaxSize) }

// WriteFileWithin is [WriteFile] with another limit for the text, in bytes.
func WriteFileWithin(path string, t *Trace, limit int) error {
	return Replace(path, func(w io.Writer) error {
		var text bytes.Buffer
		if err := Encode(&within{&text, limit}, t); err != nil {
			return err
		}
		return packed.Write(w, text.Bytes())
	})
}

// within is a writer with a limit of bytes.
type within struct {
	io.Writer
	left int
}

func (w *within) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, ErrTooLong
	}
	return w.Writer.Write(p)
}

// Replace writes the file at path by calling write, completely or not at all, even if the
// machine fails. It replaces no device and no pipe.
func Replace(path string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", path)
	}
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		var why *fs.PathError // the temporary name means nothing to the user
		if errors.As(err, &why) {
			err = &fs.PathError{Op: "create", Path: path, Err: why.Err}
		}
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := fill(f, write); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	syncDir(dir)
	return nil
}

// fill writes f, makes it readable as other new files are, and closes it once it is safely stored.
func fill(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// syncDir makes the new name durable. Not every system lets a directory be
// synced, and the file is whole without it.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
