//go:build !unix

package appdir

// noFollow is 0 on systems that do not have such a flag.
const noFollow = 0
