package realmysql

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
)

// install is the program that makes data directories.
const install = "mariadb-install-db"

// newData makes a new data directory, as a copy of the kept one.
func newData(dir string) error {
	kept, err := keptData()
	if err != nil {
		return err
	}
	return os.CopyFS(dir, os.DirFS(kept))
}

// keptData returns a data directory that no server has used yet, and makes it if needed. There
// is one for each user and each version of the server. If several processes make it at once,
// the first one's is kept.
func keptData() (string, error) {
	version, err := exec.Command(program(), "--version").Output()
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(version)
	kept := filepath.Join(os.TempDir(), fmt.Sprintf("lockpick-mariadb-%s-%x", owner(), hash[:6]))
	if _, err := os.Stat(kept); err == nil {
		return kept, nil
	}
	dir, err := os.MkdirTemp("", "lockpick-mariadb-new")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	made := filepath.Join(dir, "data")
	out, err := exec.Command(install, "--no-defaults", "--datadir="+made, "--user="+owner(),
		"--auth-root-authentication-method=normal", "--innodb-log-file-size=4M", "--innodb-buffer-pool-size=16M").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w:\n%s", install, err, out)
	}
	if err := os.Rename(made, kept); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return kept, nil
}

// owner returns the name of the user that runs the server: the user of the test.
func owner() string {
	u, err := user.Current()
	if err != nil {
		return "root"
	}
	return u.Username
}
