package pages

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Release returns the pages of the program's file to the system. Linux maps 64 KB at a time around each address that is used, so
// a start leaves most of the file in memory. What is used again is mapped again from the page cache, without reading the disk.
//
// Pages that were written are kept: they differ from the file, as relocated addresses do. Errors mean that more pages stay.
func Release() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	for _, m := range unwritten(program) {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.start, m.end-m.start, syscall.MADV_DONTNEED)
	}
}

// A mapping is a range of addresses.
type mapping struct{ start, end uintptr }

// unwritten returns the read-only mappings of a file of which no page was written.
func unwritten(file string) []mapping {
	smaps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil
	}
	defer smaps.Close() //nolint:errcheck // it was only read
	var list []mapping
	var last mapping
	ours := false
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		line := lines.Text()
		fields := strings.Fields(line)
		switch {
		case len(fields) >= 5 && !strings.HasSuffix(fields[0], ":"): // "start-end rights offset device inode file"
			ours = strings.HasSuffix(line, " "+file) && !strings.Contains(fields[1], "w")
			last = rangeOf(fields[0])
		case ours && fields[0] == "Anonymous:" && len(fields) > 1 && fields[1] == "0":
			list = append(list, last)
		}
	}
	return list
}

// rangeOf reads two addresses such as "00400000-01a3c000". What it cannot read is an empty range.
func rangeOf(text string) mapping {
	from, to, _ := strings.Cut(text, "-")
	start, err1 := strconv.ParseUint(from, 16, 64)
	end, err2 := strconv.ParseUint(to, 16, 64)
	if err1 != nil || err2 != nil {
		return mapping{}
	}
	return mapping{uintptr(start), uintptr(end)}
}
