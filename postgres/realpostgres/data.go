package realpostgres

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// newData makes a new data directory, as a copy of the kept one.
func newData(dir, data string) error {
	kept, err := keptData()
	if err != nil {
		return err
	}
	if err := own(dir); err != nil {
		return err
	}
	return output(exec.Command("cp", "-a", kept, data))
}

// keptData returns a data directory that no server has used yet, and makes it if needed. There is one for each user and
// each version of the server. If several processes make it at once, the first one's is kept.
func keptData() (string, error) {
	version, err := exec.Command(program("postgres"), "--version").Output()
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(version)
	kept := filepath.Join(os.TempDir(), fmt.Sprintf("lockpick-postgres-%s-%x", owner(), hash[:6]))
	if _, err := os.Stat(kept); err == nil {
		return kept, nil
	}
	dir, err := os.MkdirTemp("", "lockpick-postgres-new")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := own(dir); err != nil {
		return "", err
	}
	made := filepath.Join(dir, "data")
	err = output(exec.Command(program("initdb"), "-D", made, "-U", "postgres", "--auth=trust", "--no-sync", "--no-locale", "--encoding=UTF8", "--wal-segsize=1"))
	if err != nil {
		return "", err
	}
	if err := os.Rename(made, kept); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return kept, nil
}

// output runs a command as the servers' user; the error has what it printed.
func output(c *exec.Cmd) error {
	asOwner(c)
	c.Dir = "/"
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w:\n%s", c.Path, err, out)
	}
	return nil
}
