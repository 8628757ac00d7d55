package output

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/tui/present"
)

func splitName(file string) (name, ending string) {
	at := strings.LastIndexByte(file, '.')
	if at < 0 {
		return file, "txt"
	}
	return file[:at], file[at+1:]
}

func (x *ExportDialog) format() *items.Format {
	for _, f := range items.Formats() {
		if f.Title == x.Form.Values()[exportFormat] {
			return f
		}
	}
	return items.JSON
}

func (x *ExportDialog) text() *Piece {
	for i := range x.of.Texts {
		if p := &x.of.Texts[i]; len(x.of.Texts) == 1 || p.Label == x.Form.Values()[exportFormat] {
			return p
		}
	}
	return nil
}

func (x *ExportDialog) choice() RowChoice {
	label := x.Form.Values()[exportRows]
	for _, r := range x.of.Rows {
		if r.Label == label {
			return r
		}
	}
	return RowChoice{Items: rows.Select(x.of.What.Items)}
}

// offer keeps a name that the user entered or removed.
func (x *ExportDialog) offer() {
	given := x.Form.Values()[exportFile]
	if given != x.offered {
		return
	}
	ending := x.format().Extension
	if p := x.text(); p != nil {
		_, ending = splitName(p.File)
	}
	x.offered = present.FileName(ending, x.of.Name, x.opened)
	if given != x.offered {
		values := x.Form.Values()
		values[exportFile] = x.offered
		x.Form.SetValues(values)
	}
}

func (x *ExportDialog) answers() string {
	v := x.Form.Values()
	return v[exportRows] + "\x00" + v[exportFormat] + "\x00" + v[exportFile]
}
