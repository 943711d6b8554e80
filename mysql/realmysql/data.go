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

// newData makes a new data directory: a copy of the one that is kept.
func newData(dir string) error {
	kept, err := keptData()
	if err != nil {
		return err
	}
	return os.CopyFS(dir, os.DirFS(kept))
}

// keptData is a data directory that no server has used yet, made by the first who needs it. It
// belongs to the user and to the version of the server. Several processes may
// make it at once: the first one's stays.
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

// owner is the name of the user as whom the server runs: the user of the test.
func owner() string {
	u, err := user.Current()
	if err != nil {
		return "root"
	}
	return u.Username
}
