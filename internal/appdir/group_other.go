//go:build !unix

package appdir

import "io/fs"

func isOwnGroup(fs.FileInfo) bool { return true }
