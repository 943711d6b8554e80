package file

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/sim/simfile"
)

// Create makes a file with its content. It fails with [fs.ErrExist] if the file exists. After another
// error the file may have been made.
func (c *Client) Create(ctx context.Context, name, content string) error {
	return c.change(ctx, simfile.Create, name, "", content)
}

// Read returns the content of a file. It fails with [fs.ErrNotExist] if there is none.
func (c *Client) Read(ctx context.Context, name string) (content string, err error) {
	return c.value(ctx, simfile.Read, name)
}

// Write replaces the content of a file. It fails with [fs.ErrNotExist] if there is none. After another
// error it may have been replaced.
func (c *Client) Write(ctx context.Context, name, content string) error {
	return c.change(ctx, simfile.Write, name, content)
}

// Remove removes a file, even of another client. It fails with [fs.ErrNotExist] if there is none. After
// another error it may have been removed.
func (c *Client) Remove(ctx context.Context, name string) error {
	return c.change(ctx, simfile.Remove, name)
}

// Rename renames a file, and replaces a file of that name. It fails with [fs.ErrNotExist] if there is
// none to rename. After another error it may have been renamed.
func (c *Client) Rename(ctx context.Context, from, to string) error {
	return c.change(ctx, simfile.Rename, from, to)
}

// Modified returns when a file was last written, by the server's clock. It fails with [fs.ErrNotExist] if
// there is none.
func (c *Client) Modified(ctx context.Context, name string) (time.Time, error) {
	text, err := c.value(ctx, simfile.Stat, name)
	if err != nil {
		return time.Time{}, err
	}
	micros, err := strconv.ParseInt(text, 10, 64)
	return time.UnixMicro(micros), err
}

// change makes a request whose answer is a status.
func (c *Client) change(ctx context.Context, op simfile.Op, args ...string) (err error) {
	if failed := c.do(ctx, func(r reply) { err = refused(op, args[0], r) }, op, args...); failed != nil {
		return failed
	}
	return err
}

// value makes a request whose answer has a value.
func (c *Client) value(ctx context.Context, op simfile.Op, name string) (value string, err error) {
	failed := c.do(ctx, func(r reply) {
		if err = refused(op, name, r); err == nil && len(r.Values) == 1 {
			value = r.Values[0]
		}
	}, op, name)
	if failed != nil {
		return "", failed
	}
	return value, err
}

// refused returns the error of an answer, nil if its status is OK.
func refused(op simfile.Op, name string, r reply) error {
	err := fmt.Errorf("status %s", r.Status)
	switch r.Status {
	case simfile.OK:
		return nil
	case simfile.Exist:
		err = fs.ErrExist
	case simfile.NoEntry:
		err = fs.ErrNotExist
	}
	return &fs.PathError{Op: string(op), Path: name, Err: err}
}
