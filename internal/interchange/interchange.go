// Package interchange reads and writes the schema files of other tools. Reading produces a draft of a schema, with a
// comment on every assumption, and the sample items in the file. To add a format, write one file and add an entry to
// formats.
package interchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Format is a kind of schema file. Formats are package variables and never change. For any file, recognizes must
// return true in at most one format, because an error about a wrong format names the right one.
type Format struct {
	Name, Title string
	// Obtain explains how to get a file of the format.
	Obtain string

	// recognizes reports whether a decoded file has the format, based on its top-level keys.
	recognizes func(top map[string]any) bool
	read       func(r *reader, f File) error
	write      func(p *profiles.Profile) ([]byte, error)
}

// Writes reports whether the format can represent exported schemas.
func (f *Format) Writes() bool { return f.write != nil }

// formats lists every format in documentation order.
var formats = []*Format{&workbench, &awsModel, &awsSchema, &oneTable, &electroDB, &cloudFormation, &terraform, &pulumi, &awsTable}

// Formats returns the formats that Read accepts.
func Formats() []*Format { return formats }

// Find returns the format with the given name, or nil.
func Find(name string) *Format {
	return models.First(formats, func(f *Format) bool { return f.Name == name })
}

// A File is a schema file. Messages contain its full name; the schema's source contains only the last path element.
type File struct {
	Name string
	Text []byte
}

// Options configures an import.
type Options struct {
	Name  string // schema name; "" uses the name in the file
	Table string // real table name, for formats without it
	// Items contains the items of an S3 export beside the schema, by table name.
	Items map[string][]models.Item
	// OpenReferenced opens a file that another file references by a relative name; nil disables references.
	OpenReferenced func(file, name string) ([]byte, error)
}

// An Import is the result of reading files. The draft is complete but not validated; loading its text validates it.
type Import struct {
	Profile  *draft.Profile
	Items    map[string][]models.Item // sample items by table ID
	Warnings []string                 // descriptions of content that the schema cannot represent
}

// ItemCount returns the number of sample items.
func (i *Import) ItemCount() int {
	n := 0
	for _, list := range i.Items {
		n += len(list)
	}
	return n
}

// errNoTables means that a file does not contain any tables. Other files in the import may contain some.
var errNoTables = errors.New("no tables")

// Read reads one or more files as one schema. If f is nil, it detects the format of each file. Order matters if one
// file completes another, such as usage data for a schema. With several files, a warning names each file without a
// table. The error names the file.
func (f *Format) Read(files []File, o Options) (*Import, error) {
	out := &Import{Profile: &draft.Profile{Name: o.Name}, Items: map[string][]models.Item{}}
	r := &reader{options: o, out: out, keys: map[[2]string]bool{}}
	titles := map[string]bool{}
	for _, file := range files {
		r.file = file.Name
		read, err := f.readFile(r, file)
		if errors.Is(err, errNoTables) && len(files) > 1 {
			r.warnf("%s: %v", models.Printable(file.Name), err)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s", models.Printable(file.Name), models.Printable(err.Error()))
		}
		titles[read.Title] = true
	}
	r.inferPendingTables()
	p := r.out.Profile
	if len(p.Tables) == 0 {
		return nil, fmt.Errorf("%s: no tables found", models.Printable(files[0].Name))
	}
	sources := models.MapSlice(files, func(file File) string { return filepath.Base(file.Name) })
	p.Name = cmp.Or(p.Name, draft.Kebab(strings.TrimSuffix(strings.TrimSuffix(sources[0], filepath.Ext(sources[0])), ".template")))
	p.Source = models.Printable(strings.Join(sources, ", "))
	p.Notes = []string{
		"Imported from " + p.Source + " (" + strings.Join(slices.Sorted(maps.Keys(titles)), ", ") + ").",
		"Confirm each line marked CHECK, then run: ddbdesk schema lint " + p.Name + ".yaml",
	}
	return r.out, nil
}

// sourceWords lists words in source code, and the format into which a command converts it.
var sourceWords = [][2]string{
	{"aws_dynamodb_table", "terraform"},
	{"electrodb", "electrodb"},
	{"onetable", "onetable"},
	{"aws-cdk", "cloudformation"},
	{"aws_cdk", "cloudformation"},
	{"pulumi", "pulumi"},
}

func (f *Format) readFile(r *reader, file File) (*Format, error) {
	if ext := filepath.Ext(file.Name); slices.Contains(sourceCode, ext) {
		for _, word := range sourceWords {
			if f == nil && strings.Contains(string(file.Text), word[0]) {
				f = Find(word[1])
			}
		}
		if f == nil {
			return nil, fmt.Errorf("the file is source code (%s), which ddbdesk does not run; see ddbdesk schema import --help", ext)
		}
		return nil, fmt.Errorf("not %s: the file is source code (%s), which ddbdesk does not run; %s", f.kind(), ext, f.Obtain)
	}
	top, err := decodeTop(file.Text)
	switch {
	case err != nil && f == nil:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("not %s: %w", f.kind(), err)
	case f != nil && f.recognizes(top):
		return f, f.read(r, file)
	}
	for _, other := range formats {
		switch {
		case !other.recognizes(top):
		case f == nil:
			return other, other.read(r, file)
		default:
			return nil, fmt.Errorf("not %s but %s; use %s", f.kind(), other.kind(), other.Name)
		}
	}
	if f == nil {
		return nil, fmt.Errorf("unknown format; name it, or see ddbdesk schema import --help")
	}
	return nil, fmt.Errorf("not %s; %s", f.kind(), f.Obtain)
}

func (f *Format) kind() string {
	article := "a"
	if strings.ContainsRune("AE", rune(f.Title[0])) {
		article = "an"
	}
	return article + " " + f.Title + " file"
}

// sourceCode lists the extensions of programs that generate a format when they run.
var sourceCode = []string{".tf", ".hcl", ".ts", ".mts", ".tsx", ".js", ".mjs", ".cjs", ".py", ".go", ".java", ".cs", ".rb"}

func decodeTop(text []byte) (map[string]any, error) {
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		var v any
		if err := decodeJSON(text, &v); err != nil {
			return nil, err
		}
		if list, ok := v.([]any); ok {
			return map[string]any{"": list}, nil
		}
		return v.(map[string]any), nil
	}
	v, err := decodeYAML(text)
	if err != nil {
		return nil, err
	}
	if top, ok := v.(map[string]any); ok {
		return top, nil
	}
	return nil, errors.New("expected a JSON object or a YAML mapping")
}

// decodeJSON keeps the digits of numbers and reads only the first value. Errors include the line.
func decodeJSON(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err := d.Decode(to)
	if err == nil {
		return nil
	}
	at := d.InputOffset()
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		at, err = int64(len(bytes.TrimSpace(text))), errors.New("the file is truncated")
	}
	var typeErr *json.UnmarshalTypeError
	switch syntaxErr, ok := errors.AsType[*json.SyntaxError](err); {
	case ok:
		at = syntaxErr.Offset
	case errors.As(err, &typeErr):
		at = typeErr.Offset
		err = fmt.Errorf("%s must not be a JSON %s", typeErr.Field, typeErr.Value)
	}
	line := 1 + bytes.Count(text[:min(max(int(at)-1, 0), len(text))], []byte("\n"))
	return fmt.Errorf("line %d: %s", line, strings.TrimPrefix(err.Error(), "json: "))
}

func remarshal(from, to any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	if err := decodeJSON(text, to); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "line 1: ")) // not a line of the file
	}
	return nil
}

func hasKeys(keys ...string) func(map[string]any) bool {
	return func(top map[string]any) bool {
		return !slices.ContainsFunc(keys, func(k string) bool { _, ok := top[k]; return !ok })
	}
}

// A reader collects the content of the files.
type reader struct {
	options       Options
	out           *Import
	file          string             // name of the current file
	pendingTables []*draft.Table     // tables whose items may be in other files
	keys          map[[2]string]bool // table IDs and key IDs of the items
}

func (r *reader) profile() *draft.Profile { return r.out.Profile }

func (r *reader) warnf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.out.Warnings, text) {
		r.out.Warnings = append(r.out.Warnings, text)
	}
}

func (r *reader) setName(name string) {
	if r.profile().Name == "" && name != "" {
		r.profile().Name = draft.Kebab(name)
	}
}

func (r *reader) tableID(name string) string {
	id := draft.Kebab(name)
	for n := 2; r.profile().Table(id) != nil; n++ {
		id = fmt.Sprintf("%s-%d", draft.Kebab(name), n)
	}
	return id
}

func (r *reader) addVariable(name, value, description string) {
	p := r.profile()
	if !slices.ContainsFunc(p.Variables, func(v draft.Variable) bool { return v.Name == name }) {
		p.Variables = append(p.Variables, draft.Variable{Name: name, Default: value, Description: description})
	}
}

// newItems returns the items that the table does not have yet. It keeps the first item of a key and warns.
func (r *reader) newItems(t *draft.Table, list []models.Item) []models.Item {
	var out []models.Item
	for _, it := range list {
		id := [2]string{t.ID, t.KeyID(it)}
		if _, ok := t.PrimaryKey(it); !ok {
			r.warnf("table %s: an item without its whole key was skipped", t.Name)
			continue
		}
		if r.keys[id] {
			r.warnf("table %s: two items have the same key; the first is kept", t.Name)
			continue
		}
		r.keys[id] = true
		out = append(out, it)
	}
	r.out.Items[t.ID] = append(r.out.Items[t.ID], out...)
	return out
}

// A tableDescription is a table as the API, CloudFormation and boto3 describe it. In CloudFormation, TableName may be a
// function.
type tableDescription struct {
	TableName              any
	AttributeDefinitions   []attributeDefinition
	KeySchema              []keyElement
	GlobalSecondaryIndexes []indexDescription
	LocalSecondaryIndexes  []indexDescription
	BillingMode            any
	StreamSpecification    struct {
		StreamEnabled  any
		StreamViewType string
	}
	TimeToLiveSpecification struct {
		AttributeName string
		Enabled       any
	}
}

type attributeDefinition struct{ AttributeName, AttributeType string }

type keyElement struct {
	AttributeName any
	KeyType       string
}

type indexDescription struct {
	IndexName  any
	KeySchema  []keyElement
	Projection struct {
		ProjectionType   string
		NonKeyAttributes []string
	}
}

func describedIndex(name string, keys []keyElement, projection string, include []string) indexDescription {
	x := indexDescription{IndexName: name, KeySchema: keys}
	x.Projection.ProjectionType, x.Projection.NonKeyAttributes = projection, include
	return x
}

func keySchema(partition, sort string) (list []keyElement) {
	for i, name := range []string{partition, sort} {
		if name != "" {
			list = append(list, keyElement{name, []string{"HASH", "RANGE"}[i]})
		}
	}
	return list
}

func (r *reader) table(name string, d tableDescription) (*draft.Table, error) {
	kinds := map[string]models.Type{}
	for _, a := range d.AttributeDefinitions {
		kinds[a.AttributeName] = models.Type(a.AttributeType)
	}
	t := &draft.Table{Table: models.Table{ID: r.tableID(name), Name: name}}
	t.Billing = billing(d.BillingMode)
	if fmt.Sprint(d.StreamSpecification.StreamEnabled) != "false" {
		t.Stream = streamView(d.StreamSpecification.StreamViewType)
	}
	if fmt.Sprint(d.TimeToLiveSpecification.Enabled) != "false" {
		t.TTL = d.TimeToLiveSpecification.AttributeName
	}
	partition, sort := keysOf(d.KeySchema, kinds)
	if len(partition) != 1 || len(sort) > 1 {
		return nil, fmt.Errorf("table %s: KeySchema needs one HASH attribute and at most one RANGE attribute", name)
	}
	t.PartitionKey, t.SortKey = partition[0], append(sort, models.Key{})[0]
	if t.PartitionKey.Name == t.SortKey.Name {
		return nil, fmt.Errorf("table %s: attribute %s is its partition key and its sort key; a table needs two", t.Name, t.SortKey.Name)
	}
	for i, x := range slices.Concat(d.GlobalSecondaryIndexes, d.LocalSecondaryIndexes) {
		text, _ := x.IndexName.(string)
		index := &models.Index{
			Name: text, Local: i >= len(d.GlobalSecondaryIndexes), Projection: models.Projection(x.Projection.ProjectionType),
			Include: x.Projection.NonKeyAttributes,
		}
		index.PartitionKeys, index.SortKeys = keysOf(x.KeySchema, kinds)
		r.addIndex(t, index)
	}
	return t, nil
}

// addIndex adds an index. It skips an unusable one with a warning, so that the import can continue.
func (r *reader) addIndex(t *draft.Table, x *models.Index) {
	switch {
	case x.Name == "" || len(x.PartitionKeys) == 0:
		r.warnf("table %s: an index without a name or a partition key was skipped", t.Name)
		return
	case max(len(x.PartitionKeys), len(x.SortKeys)) > models.MaxKeyAttributes:
		note := fmt.Sprintf("index %s has a key of more than %d attributes", x.Name, models.MaxKeyAttributes)
		t.Notes = append(t.Notes, draft.CheckNote("%s", note))
		r.warnf("table %s: %s; it was skipped", t.Name, note)
		return
	}
	if x.Projection != models.ProjectionInclude {
		x.Include = nil
	}
	t.Indexes = append(t.Indexes, x)
}

func keysOf(schema []keyElement, kinds map[string]models.Type) (partition, sort []models.Key) {
	for _, e := range schema {
		name, _ := e.AttributeName.(string)
		if e.KeyType == "HASH" {
			partition = append(partition, models.KeyList(keyOf(name, kinds[name]))...)
		} else {
			sort = append(sort, models.KeyList(keyOf(name, kinds[name]))...)
		}
	}
	return partition, sort
}

// keyOf returns a key attribute of type S unless t is set. For an empty name it returns an empty key.
func keyOf(name string, t models.Type) models.Key {
	if name == "" {
		return models.Key{}
	}
	return models.Key{Name: name, Type: cmp.Or(t, models.TypeS)}
}

func setProjection(x *models.Index, projection any, keysOnly string, field func(name string) string) {
	x.Projection = models.ProjectionAll
	if projection == keysOnly {
		x.Projection = models.ProjectionKeysOnly
	}
	if list, ok := projection.([]any); ok {
		x.Projection = models.ProjectionInclude
		for _, a := range list {
			x.Include = append(x.Include, field(fmt.Sprint(a)))
		}
	}
}

// newTable returns a table for a schema that may lack its name. If name is empty, it uses fallback and adds a note.
func (r *reader) newTable(name, fallback string) *draft.Table {
	t := &draft.Table{}
	if t.Name = cmp.Or(name, r.options.Table); t.Name == "" {
		t.Name = fallback
		t.Notes = []string{draft.CheckNote("table name is not in the schema; set name:, or import with --table NAME")}
	}
	t.ID = r.tableID(t.Name)
	return t
}

func (r *reader) inferTable(t *draft.Table) {
	draft.Infer(r.profile(), draft.Sample{Table: t}, draft.InferOptions{})
	draft.InferPatterns(r.profile(), t)
}

func streamView(text string) models.StreamView {
	if v := models.StreamView(text); slices.Contains(models.StreamViews(), v) {
		return v
	}
	return ""
}

func billing(mode any) string {
	switch mode {
	case "PAY_PER_REQUEST":
		return "on-demand"
	case "PROVISIONED":
		return "provisioned"
	}
	return ""
}

// cdkHash matches the hash at the end of a CDK resource's logical ID.
var cdkHash = models.LazyRegexp(`([A-Za-z0-9])[0-9A-F]{8}$`)

// plainItem omits an index key if any of its values is missing, as in a sparse index.
func plainItem(t *draft.Table, e *draft.Entity, plain map[string]any) (models.Item, error) {
	it := models.Item{}
	for name, v := range plain {
		if v != nil {
			it[name] = models.PlainValue(v)
		}
	}
	for _, k := range t.KeyAttributes() {
		source := e.Template(k.Name)
		if source == "" || source == "{"+k.Name+"}" {
			continue
		}
		template, err := models.ParseTemplate(source, nil)
		if err != nil {
			return nil, err
		}
		v, err := k.Value(template, it.Text)
		if err != nil {
			if k == t.PartitionKey || k == t.SortKey {
				return nil, fmt.Errorf("key %s: %w", k.Name, err)
			}
			continue // a sparse index
		}
		it[k.Name] = v
	}
	if _, ok := t.PrimaryKey(it); !ok {
		return nil, errors.New("a part of the key is missing")
	}
	return it, nil
}
