// Package cases collects cases: an item and the items related to it, with pseudonyms for personal data. It writes and
// checks case files, and plans how to load a case into another database.
package cases

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Case is the content of a case file. The start is the first record.
type Case struct {
	Header
	Records []*Record
}

// Version is the only version of the format.
const Version = 1

// A Header is the first line of a case file.
type Header struct {
	Version   int               `json:"ddbcase"`
	Schema    string            `json:"schema"`        // name or file of the schema
	Profile   string            `json:"profileDigest"` // digest of the schema with Variables
	Variables map[string]string `json:"variables,omitempty"`
	// Source is the store.Target.Place of the case's database, without folder names of this machine.
	Source     string `json:"source"`
	Production bool   `json:"production"`
	// Taken is the time in UTC at which the user saved the case.
	Taken  time.Time `json:"taken"`
	Reason string    `json:"reason,omitempty"`
	Ticket string    `json:"ticket,omitempty"`
	Start  Origin    `json:"start"`
	Items  int       `json:"items"`
	Digest string    `json:"digest"` // digest of the file without this field
}

// An Origin is the start of a case. It is either the entity of the first item, or a pattern with parameters, which are
// pseudonyms like the values of the items.
type Origin struct {
	Pattern    string            `json:"pattern,omitempty"`
	Entity     string            `json:"entity,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"`
}

// A Record is an item of a case, or a candidate for one. It never changes.
type Record struct {
	Table  *models.Table
	Entity *models.Entity // nil if the item matches no entity
	Item   models.Item    // contains at least the key
}

func (r *Record) id() string { return r.Table.ID + " " + r.Table.KeyID(r.Item) }

// Link returns the link to the start of the case. Its values are pseudonyms, so the link finds the case's items and not
// the items in the source database.
func (c *Case) Link(p *profiles.Profile) link.Link {
	l := link.Link{Schema: p.Name, Name: c.Start.Entity + c.Start.Pattern, Values: c.Start.Parameters}
	if c.Start.Entity != "" && len(c.Records) > 0 {
		l.Values = map[string]string{}
		for _, k := range c.Records[0].Table.PrimaryKeys() {
			l.Values[k.Name], _ = c.Records[0].Item.Text(k.Name)
		}
	}
	return l
}

// Entities counts the items of each entity, with the key "" for items without an entity.
func Entities(list []*Record) map[string]int {
	counts := map[string]int{}
	for _, r := range list {
		name := ""
		if r.Entity != nil {
			name = r.Entity.Name
		}
		counts[name]++
	}
	return counts
}

// Extension is the file name extension of case files.
const Extension = ".ddbcase"

// A line is an item's line in a file.
type line struct {
	Table string          `json:"Table"` // the table's ID in the schema
	Item  json.RawMessage `json:"Item"`  // DynamoDB JSON
}

// Save writes the case to a new file. name is the value of --out as the user typed it.
func (c *Case) Save(name string) error {
	text, err := c.Encode()
	if err != nil {
		return err
	}
	path, err := items.Path(name)
	if err != nil {
		return session.InputErrorf("--out: %v", err)
	}
	return items.Save(path, text, false)
}

// Encode returns the content of a case file: the header, followed by one line for each item. The error wraps
// session.ErrRefused if the case exceeds appdir.MaxFile bytes. The same case always returns the same bytes.
func (c *Case) Encode() ([]byte, error) {
	var rest bytes.Buffer
	for _, r := range c.Records {
		text, err := json.Marshal(line{r.Table.ID, r.Item.AppendDynamoDBJSON(nil)})
		if err != nil {
			return nil, fmt.Errorf("encode the case: %w", err)
		}
		rest.Write(append(models.PrintableJSON(text), '\n'))
	}
	h := c.Header
	h.Items = len(c.Records)
	var err error
	if h.Digest, err = digest(h, rest.Bytes()); err != nil {
		return nil, err
	}
	first, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encode the case: %w", err)
	}
	text := append(append(first, '\n'), rest.Bytes()...)
	if len(text) > appdir.MaxFile {
		return nil, &session.Refusal{
			Reason: fmt.Sprintf("the case file would have %d MB; the limit is %d MB", len(text)>>20, appdir.MaxFile>>20),
			Advice: "save fewer related items",
		}
	}
	return text, nil
}

func digest(h Header, rest []byte) (string, error) {
	h.Digest = ""
	first, err := json.Marshal(h)
	if err != nil {
		return "", fmt.Errorf("encode the case: %w", err)
	}
	sum := sha256.New()
	sum.Write(append(first, '\n'))
	sum.Write(rest)
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// A File is a parsed case file without an open schema.
type File struct {
	Header
	lines [][]byte
}

// Parse reads a file. The error wraps session.ErrInput if the file is not a case file or is truncated, and
// session.ErrRefused if a user edited it. The digest detects edits but not forgery, because anyone can create a file
// with a correct digest. Do not trust the content until Match has accepted the schema.
func Parse(text []byte) (*File, error) {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	var f File
	d := json.NewDecoder(bytes.NewReader(first))
	d.DisallowUnknownFields()
	var format struct {
		Version int `json:"ddbcase"`
	}
	if json.Unmarshal(first, &format) != nil || format.Version == 0 {
		return nil, session.InputErrorf("the file is not a case file; to create one, run ddbdesk case save --out FILE")
	}
	if err := appdir.CheckFormat(format.Version, Version); err != nil {
		return nil, session.InputErrorf("the case file was %v", err)
	}
	if err := d.Decode(&f.Header); err != nil {
		return nil, session.InputErrorf("the first line of the case file is not valid JSON, or contains unknown fields; save the case again")
	}
	if f.Schema == "" || f.Schema != filepath.Base(f.Schema) {
		return nil, session.InputErrorf("the case file does not name a schema, or names one in another folder; save the case again")
	}
	if len(rest) > 0 {
		f.lines = bytes.Split(bytes.TrimSuffix(rest, []byte("\n")), []byte("\n"))
	}
	sum, err := digest(f.Header, rest)
	switch {
	case err != nil:
		return nil, err
	case sum == f.Digest:
		return &f, nil
	case len(f.lines) < f.Items || len(rest) > 0 && rest[len(rest)-1] != '\n':
		return nil, session.InputErrorf("the case file is truncated: it has %s of %d; copy it again",
			english.Plural(len(f.lines), "item", ""), f.Items)
	}
	return nil, &session.Refusal{
		Reason: "the case file was edited after it was saved",
		Advice: "save the case again with ddbdesk case save",
	}
}

// Match returns a refusal if a schema, opened with the variables of the header, differs from the schema of the saved
// case. It refuses even small differences, because another version may mask other attributes.
func (f *File) Match(p *profiles.Profile) error {
	if p.Digest() != f.Profile {
		return &session.Refusal{
			Reason: "the case was saved with another version of schema " + p.Name,
			Advice: "save it again, or use the schema that it was saved with",
		}
	}
	return nil
}

// Open returns the case with the tables of a schema. The error wraps session.ErrInput and never contains a value of an
// item.
func (f *File) Open(p *profiles.Profile) (*Case, error) {
	c := &Case{Header: f.Header}
	for i, text := range f.lines {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, session.InputErrorf("item %d of the case file is not JSON", i+1)
		}
		t := p.Table(l.Table)
		if t == nil {
			return nil, session.InputErrorf("item %d of the case file belongs to table %s, which is not in schema %s", i+1,
				models.Printable(l.Table), p.Name)
		}
		it, err := models.ParseItem(l.Item)
		if err != nil {
			return nil, session.InputErrorf("item %d of the case file: %v", i+1, err)
		}
		if _, ok := t.PrimaryKey(it); !ok {
			return nil, session.InputErrorf("item %d of the case file lacks a part of its key", i+1)
		}
		r := &Record{Table: t, Item: it}
		if known, ok := models.Recognize(p.Entities, t, it); ok {
			r.Entity = known.Entity
		}
		c.Records = append(c.Records, r)
	}
	return c, nil
}
