package realserver

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// A killed program removes nothing. So each directory has a file that its program locks while it lives, and the next
// program removes directories whose files are not locked.

// lockFile is the file's name.
const lockFile = ".alive"

// held are the open files of this program's directories.
var held = struct {
	sync.Mutex
	files map[string]int
}{files: map[string]int{}}

// hold locks the directory's file for as long as this program and the directory last. Those of directories that have been
// removed are closed.
func hold(dir string) error {
	held.Lock()
	defer held.Unlock()
	for old, fd := range held.files { // unordered: each by itself
		if _, err := os.Lstat(old); os.IsNotExist(err) {
			_ = syscall.Close(fd)
			delete(held.files, old)
		}
	}
	file := filepath.Join(dir, lockFile)
	fd, err := syscall.Open(file+".new", syscall.O_CREAT|syscall.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	held.files[dir] = fd
	if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
		return err
	}
	return os.Rename(file+".new", file) // never there without being locked: another program might remove the directory
}

// sweep removes the directories left in a place. Those that cannot be removed belong to other users.
func sweep(place string) {
	dirs, _ := filepath.Glob(filepath.Join(place, pattern+"*")) // the pattern is well-formed
	for _, dir := range dirs {
		if abandoned(dir) {
			_ = os.RemoveAll(dir)
		}
	}
}

// abandoned reports whether the program that made a directory is gone. A directory without the file was made just now, or
// by a program that was killed before it made the file.
func abandoned(dir string) bool {
	fd, err := syscall.Open(filepath.Join(dir, lockFile), syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if errors.Is(err, syscall.ENOENT) {
		info, err := os.Lstat(dir)
		return err == nil && info.IsDir() && time.Since(info.ModTime()) > time.Hour
	}
	if err != nil {
		return false
	}
	defer func() { _ = syscall.Close(fd) }()
	return syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
