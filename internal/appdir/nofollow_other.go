//go:build !unix

package appdir

// noFollow is empty where the system has no such flag.
const noFollow = 0
