package filelocks

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// Dir implements [Files] by a directory of the machine's file system, such as one that several machines
// have mounted. Its calls wait for the file system, even after their context has ended. A reader may find
// a new file empty before its content is written.
type Dir string

func (d Dir) path(name string) string { return filepath.Join(string(d), name) }

// Create makes a file by O_EXCL. A file whose content cannot be written is removed again.
func (d Dir) Create(ctx context.Context, name, content string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := os.OpenFile(d.path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(d.path(name)))
	}
	return nil
}

// Read reads a file.
func (d Dir) Read(ctx context.Context, name string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	content, err := os.ReadFile(d.path(name))
	return string(content), err
}

// Write writes an existing file.
func (d Dir) Write(ctx context.Context, name, content string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := os.OpenFile(d.path(name), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}

// Remove removes a file.
func (d Dir) Remove(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return os.Remove(d.path(name))
}

// Rename renames a file.
func (d Dir) Rename(ctx context.Context, from, to string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return os.Rename(d.path(from), d.path(to))
}

// Modified returns a file's time of modification.
func (d Dir) Modified(ctx context.Context, name string) (time.Time, error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	info, err := os.Stat(d.path(name))
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}
