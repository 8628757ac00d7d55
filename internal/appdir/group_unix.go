//go:build unix

package appdir

import (
	"io/fs"
	"os/user"
	"strconv"
	"syscall"
)

func isOwnGroup(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	current, err := user.Current()
	if err != nil {
		return false
	}
	g, err := user.LookupGroupId(strconv.FormatUint(uint64(owner.Gid), 10))
	return err == nil && g.Name == current.Username
}
