//go:build unix

package realpostgres

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged returns the user that runs the programs in place of root, nil if this program is not root's.
func unprivileged() *user.User {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			return u
		}
	}
	return nil
}

// owner returns the name of the user that runs the programs.
func owner() string {
	if u := unprivileged(); u != nil {
		return u.Username
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
}

// ids returns the numbers of a user and of its group.
func ids(u *user.User) (uid, gid int, err error) {
	if uid, err = strconv.Atoi(u.Uid); err != nil {
		return 0, 0, err
	}
	gid, err = strconv.Atoi(u.Gid)
	return uid, gid, err
}

// own gives a directory to the user that runs the programs.
func own(dir string) error {
	u := unprivileged()
	if u == nil {
		return nil
	}
	uid, gid, err := ids(u)
	if err != nil {
		return fmt.Errorf("the user %s: %w", u.Username, err)
	}
	return os.Chown(dir, uid, gid)
}

// asOwner makes the command run as the user that runs the programs.
func asOwner(c *exec.Cmd) {
	u := unprivileged()
	if u == nil {
		return
	}
	if uid, gid, err := ids(u); err == nil {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
}
