package doctor

import (
	"errors"
	"io/fs"
	"os"
	"runtime"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Folder is a folder that ddbdesk uses.
type Folder struct {
	Name string // for example "state folder"
	Path string
	// Private means that only the user may read the files. Other users may read the configuration, but never write it,
	// because it names programs that ddbdesk starts.
	Private bool
}

// Folders checks the permissions of folders. Folders may be missing.
func Folders(list ...Folder) []Finding {
	return models.MapSlice(list, Folder.check)
}

func (f Folder) check() Finding {
	info, err := os.Stat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return passed(f.Name, f.Path+" does not exist yet")
	case err != nil:
		return problem(f.Name, err.Error(), "allow your user to open its parent folders")
	case !info.IsDir():
		return problem(f.Name, f.Path+" is not a folder", "move or rename the file; ddbdesk creates the folder")
	}
	if err := writable(f.Path); err != nil {
		return problem(f.Name, f.Path+" is not writable: "+err.Error(), "run sudo chown -R \"$USER\" "+f.Path)
	}
	mode := info.Mode().Perm()
	switch {
	case runtime.GOOS == "windows": // the mode does not contain access control lists
	case appdir.CheckPermissions(f.Path) != nil:
		return problem(f.Name, "other users can write to "+f.Path, "chmod go-w "+f.Path)
	case f.Private && mode&0o077 != 0:
		return warning(f.Name, "other users can list "+f.Path, "chmod 700 "+f.Path)
	}
	return passed(f.Name, f.Path)
}

// writable creates a file, because on some systems neither the mode nor access(2) reports a read-only mount.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		if reason := errors.Unwrap(err); reason != nil {
			return reason // without the random name
		}
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
