// Package failures builds a program in which one file operation fails: the n-th operation on files below a folder. It
// replaces functions of package os, and bbolt's system call for syncing, with the overlay of the go command, so that it
// covers every package of the program without test hooks in them.
//
// Only tests import it.
package failures

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// These are the environment variables of a program from Build.
const (
	atEnv    = "DDBDESK_TEST_FAIL_AT"    // number of the failing operation, from 1
	underEnv = "DDBDESK_TEST_FAIL_UNDER" // folder whose files are affected
	logEnv   = "DDBDESK_TEST_FAIL_LOG"   // file for the failed operation and its stack
)

// Environ returns the environment in which the nth operation on files below a folder fails. The program writes the
// operation to log, which must be outside the folder.
func Environ(n int, folder, log string) []string {
	return []string{atEnv + "=" + strconv.Itoa(n), underEnv + "=" + folder, logEnv + "=" + log}
}

// failNthSource is a file that the overlay adds to package os. The patched functions call failNth first.
const failNthSource = `package os

import (
	"runtime"
	"sync/atomic"
	"syscall"
)

var (
	failAt       int64
	failUnder, _ = syscall.Getenv("` + underEnv + `")
	failLog, _   = syscall.Getenv("` + logEnv + `")
	failCount    atomic.Int64
)

func init() {
	syscall.BeforeFdatasync = func(fd int) error {
		digits := ""
		for n := fd; n > 0; n /= 10 {
			digits = string(rune('0'+n%10)) + digits
		}
		name, err := Readlink("/proc/self/fd/" + digits)
		if err != nil {
			return err
		}
		return failNth("sync", name, syscall.EIO)
	}
	text, _ := syscall.Getenv("` + atEnv + `")
	for _, r := range text {
		failAt = failAt*10 + int64(r-'0')
	}
}

func failNth(op, name string, err syscall.Errno) error {
	if failAt == 0 || len(name) < len(failUnder) || name[:len(failUnder)] != failUnder || failCount.Add(1) != failAt {
		return nil
	}
	stack := make([]byte, 1<<14)
	stack = stack[:runtime.Stack(stack, false)]
	if fd, err := syscall.Open(failLog, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_TRUNC, 0o600); err == nil {
		syscall.Write(fd, []byte(op+" "+name+"\n"))
		syscall.Write(fd, stack)
		syscall.Close(fd)
	}
	return &PathError{Op: op, Path: name, Err: err}
}
`

// A patch inserts a call of failNth at the start of a function.
type patch struct{ file, function, insert string }

func patches() []patch {
	failNthCall := func(op, name, errno, result string) string {
		return fmt.Sprintf("\tif err := failNth(%q, %s, syscall.%s); err != nil {\n\t\t%s\n\t}\n", op, name, errno, result)
	}
	const ifNotNil = "if f != nil {\n"
	ifOpen := func(insert string) string { return "\t" + ifNotNil + insert + "\t}\n" }
	return []patch{
		{"os/file.go", "func (f *File) Read(b []byte) (n int, err error) {", ifOpen(failNthCall("read", "f.name", "EIO", "return 0, err"))},
		{
			"os/file.go", "func (f *File) ReadAt(b []byte, off int64) (n int, err error) {",
			ifOpen(failNthCall("read", "f.name", "EIO", "return 0, err")),
		},
		{
			"os/file.go", "func (f *File) Write(b []byte) (n int, err error) {",
			ifOpen(failNthCall("write", "f.name", "ENOSPC", "n, _ = f.pfd.Write(b[:len(b)/2])\n\t\treturn n, err")),
		},
		{
			"os/file.go", "func (f *File) WriteAt(b []byte, off int64) (n int, err error) {",
			ifOpen(failNthCall("write", "f.name", "ENOSPC", "n, _ = f.pfd.Pwrite(b[:len(b)/2], off)\n\t\treturn n, err")),
		},
		{"os/file.go", "func Mkdir(name string, perm FileMode) error {", failNthCall("mkdir", "name", "ENOSPC", "return err")},
		{
			"os/file.go", "func OpenFile(name string, flag int, perm FileMode) (*File, error) {",
			failNthCall("open", "name", "EMFILE", "return nil, err"),
		},
		{"os/file.go", "func Rename(oldpath, newpath string) error {", failNthCall("rename", "newpath", "ENOSPC", "return err")},
		{"os/file.go", "func (f *File) Chmod(mode FileMode) error {", ifOpen(failNthCall("chmod", "f.name", "EIO", "return err"))},
		{"os/file_posix.go", "func (f *File) Close() error {", ifOpen(failNthCall("close", "f.name", "EIO", "_ = f.file.close()\n\t\treturn err"))},
		{"os/file_posix.go", "func (f *File) Truncate(size int64) error {", ifOpen(failNthCall("truncate", "f.name", "EIO", "return err"))},
		{"os/file_posix.go", "func (f *File) Sync() error {", ifOpen(failNthCall("sync", "f.name", "EIO", "return err"))},
		{
			"syscall/zsyscall_linux_" + runtime.GOARCH + ".go", "func Fdatasync(fd int) (err error) {",
			"\tif BeforeFdatasync != nil {\n\t\tif err := BeforeFdatasync(fd); err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n",
		},
		{"os/file_unix.go", "func Remove(name string) error {", failNthCall("remove", "name", "EIO", "return err")},
		{"os/file_unix.go", "func Link(oldname, newname string) error {", failNthCall("link", "newname", "ENOSPC", "return err")},
	}
}

// Build builds the program of a package, such as ./cmd/ddbdesk, in a folder, and returns its path.
func Build(ctx context.Context, pkg, dir string) (program string, err error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	add := func(file, text string) error {
		replacement := filepath.Join(dir, strings.NewReplacer("/", "_", ":", "_").Replace(file))
		overlay.Replace[file] = replacement
		return os.WriteFile(replacement, []byte(text), 0o600)
	}
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	source := filepath.Join(strings.TrimSpace(string(out)), "src")
	texts := map[string]string{
		filepath.Join(source, "os", "fail_nth.go"):      failNthSource,
		filepath.Join(source, "syscall", "fail_nth.go"): "package syscall\n\nvar BeforeFdatasync func(fd int) error\n",
	}
	for _, p := range patches() {
		file := filepath.Join(source, p.file)
		if texts[file] == "" {
			text, err := os.ReadFile(file)
			if err != nil {
				return "", err
			}
			texts[file] = string(text)
		}
		before, after, found := strings.Cut(texts[file], p.function+"\n")
		if !found && strings.Contains(texts[file], p.function) { // a one-line function
			before, after, found = strings.Cut(texts[file], p.function)
		}
		if !found {
			return "", fmt.Errorf("%s has no %q", file, p.function)
		}
		texts[file] = before + p.function + "\n" + p.insert + after
	}
	for file, text := range texts {
		if err := add(file, text); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		return "", err
	}
	program = filepath.Join(dir, "program")
	build := exec.CommandContext(ctx, "go", "build", "-overlay", file, "-o", program, pkg)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
}

// Failed returns the failed operation and its stack, or false if the program had fewer operations.
func Failed(log string) (operation, stack string, failed bool, err error) {
	text, err := os.ReadFile(log)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", false, nil
	}
	operation, stack, _ = strings.Cut(string(text), "\n")
	return operation, stack, true, err
}
