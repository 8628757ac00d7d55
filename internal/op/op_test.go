package op_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/profiles"
)

type input struct {
	schema, key string
	more        []string
	state       string
	all         bool
	limit       int
	seed        uint64
	units       float64
	every       time.Duration
}

func params(in *input) []*op.Param {
	in.every, in.state = time.Second, "open"
	return []*op.Param{
		op.SchemaArg(&in.schema).Optional(), op.Arg(&in.key, "sort_key", "a key"), op.Arg(&in.more, "more", "others").Optional(),
		op.Flag(&in.state, "state", "only those in `STATE`").OneOf("open", "closed"), op.Flag(&in.all, "all", "all of them"),
		op.Flag(&in.seed, "seed", "seed `N`"), op.Flag(&in.units, "units", "at most `N` units"),
		op.Flag(&in.every, "every", "wait `TIME`"),
		op.Flag(&in.limit, "limit", "at most `N`").WithCheck(func() error {
			if in.limit < 1 {
				return fmt.Errorf("%d is not a positive number", in.limit)
			}
			return nil
		}),
	}
}

// newTestOp returns an operation that takes the parameters above and stores their values in got.
func newTestOp(got *input) *op.Op {
	return op.New(op.Op{Path: "take"}, params, func(_ context.Context, _ *op.Call, in *input) (op.Result, error) {
		*got = *in
		return nil, nil
	})
}

func paramNamed(t *testing.T, f *op.Form, name string) *op.Param {
	t.Helper()
	for _, p := range f.Params {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("the parameter %s is missing", name)
	return nil
}

// An optional argument before a required one gets a value only if the user types enough arguments.
func TestArguments(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                   "missing SORTKEY",
		"key":                " key []",
		"schema key":         "schema key []",
		"schema key one":     "schema key [one]",
		"schema key one two": "schema key [one two]",
	} {
		var got input
		f := newTestOp(&got).Form()
		err := f.Arguments(strings.Fields(args))
		if err == nil {
			_, err = f.Run(t.Context(), nil, "")
		}
		text := fmt.Sprint(got.schema, " ", got.key, " ", got.more)
		if err != nil {
			text = err.Error()
		}
		if text != want {
			t.Errorf("%q: got %q, want %q", args, text, want)
		}
	}
	empty := op.New(op.Op{Path: "none"}, nil, func(context.Context, *op.Call, *struct{}) (op.Result, error) { return nil, nil })
	if err := empty.Form().Arguments([]string{"x\x1b"}); err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("an unexpected argument: got %v", err)
	}
}

// A form does not keep the values of an earlier form: it starts with the defaults.
func TestFormStartsWithDefaults(t *testing.T) {
	t.Parallel()
	var got input
	o := newTestOp(&got)
	f := o.Form()
	for name, text := range map[string]string{
		"sort_key": "k", "more": "m", "state": "closed", "all": "true", "limit": "7", "seed": "8", "units": "1.5", "every": "2m",
	} {
		if err := paramNamed(t, f, name).Set(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := f.Run(t.Context(), nil, ""); err != nil {
		t.Fatal(err)
	}
	want := input{"", "k", []string{"m"}, "closed", true, 7, 8, 1.5, 2 * time.Minute}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(input{})); diff != "" {
		t.Error(diff)
	}
	f = o.Form()
	if _, err := f.Run(t.Context(), nil, ""); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(input{state: "open", every: time.Second}, got, cmp.AllowUnexported(input{})); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	for _, name := range []string{"all", "limit", "seed", "units", "every"} {
		if paramNamed(t, f, name).Set("x") == nil {
			t.Errorf("%s accepts x", name)
		}
	}
	for _, text := range []string{"nan", "NaN", "inf", "-Infinity", "1e999"} {
		if paramNamed(t, f, "units").Set(text) == nil {
			t.Errorf("units accepts %s", text)
		}
	}
}

func TestInvalidValuesAreReported(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"state", "", ""},
		{"state", "opne", `invalid state "opne"; did you mean "open"? Use open or closed`},
		{"state", "x\x1b[2J", `invalid state "x�[2J"; use open or closed`},
		{"limit", "", ""},
		{"limit", "0", "0 is not a positive number"},
		{"limit", "1", ""},
	} {
		p := paramNamed(t, newTestOp(new(input)).Form(), tt.name)
		if tt.text != "" {
			if err := p.Set(tt.text); err != nil {
				t.Fatal(err)
			}
		}
		if got := p.Fault(); strings.Map(printable, got) != strings.Map(printable, tt.want) {
			t.Errorf("%s %q: Fault() = %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
	reason := op.Flag(new(string), "reason", "why").Must()
	if got := reason.Fault(); got != "missing" || reason.Given() {
		t.Errorf("a missing required flag: got %q", got)
	}
}

// printable drops non-ASCII characters, because a fault shows a replacement for each unprintable one.
func printable(r rune) rune {
	if r > 0x7f {
		return -1
	}
	return r
}

func TestFormSchemaDescribesParameters(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(newTestOp(new(input)).Form().Schema())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"required":["sort_key"]`, `"state":{"default":"open","description":"only those in STATE","enum":["open","closed"],"type":"string"}`,
		`"all":{"description":"all of them","type":"boolean"}`, `"limit":{"description":"at most N","type":"integer"}`,
		`"units":{"description":"at most N units","type":"number"}`,
		`"more":{"description":"others","items":{"type":"string"},"type":"array"}`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
}

func TestOfflineOperationOpensNothing(t *testing.T) {
	t.Parallel()
	o := op.New(op.Op{Path: "peek", Needs: op.Offline}, nil, func(ctx context.Context, c *op.Call, _ *struct{}) (op.Result, error) {
		_, err := c.Open(ctx, &profiles.Profile{})
		return nil, err
	})
	if _, err := o.Form().Run(t.Context(), nil, ""); err == nil { // The call has no host, so Open would panic.
		t.Error("an offline operation without a host returned no error")
	}
}

type row struct {
	Name    string    `json:"name" col:"NAME"`
	Hidden  string    `json:"hidden"`
	Parts   []string  `json:"parts" col:"PARTS"`
	Index   *string   `json:"index" col:"INDEX"`
	Entered time.Time `json:"entered" col:"ENTERED"`
	Level   *level    `json:"level" col:"LEVEL"`
}

type level struct{}

func (*level) String() string { return "high" }

// resultText returns the text of a result and its notes.
func resultText(t *testing.T, r op.Result) (text, notes string) {
	t.Helper()
	var out strings.Builder
	err := r.Text(op.Output{Writer: &out, Note: func(text string) { notes += text }})
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), notes
}

// The table and the JSON output show the same struct.
func TestRowsHaveSameFieldsAsTableAndJSON(t *testing.T) {
	t.Parallel()
	index := "GSI1"
	r := op.Rows{List: []row{
		{Name: "a", Hidden: "x", Parts: []string{"1", "2"}, Index: &index, Entered: time.Unix(0, 0).UTC(), Level: &level{}}, {Name: "b"},
	}, Note: "only two", Empty: "none"}
	want := "NAME  PARTS  INDEX  ENTERED               LEVEL\n" +
		"a     1, 2   GSI1   1970-01-01T00:00:00Z  high\n" +
		"b\n"
	if text, notes := resultText(t, r); text != want || notes != "only two" {
		t.Errorf("got %s and notes %s", text, notes)
	}
	if doc, err := json.Marshal(r.JSON()); err != nil || !strings.HasPrefix(string(doc), `[{"name":"a","hidden":"x",`) {
		t.Errorf("got %s, %v", doc, err)
	}
	if text, notes := resultText(t, op.Rows{List: []row{}, Empty: "none"}); text != "" || notes != "none" {
		t.Errorf("got %s and notes %s, want only none", text, notes)
	}
	if doc, err := json.Marshal(op.Rows{List: []row(nil)}.JSON()); err != nil || string(doc) != "[]" {
		t.Errorf("got %s, %v, want []", doc, err)
	}
	if doc := (op.Rows{In: "envelope"}).JSON(); doc != "envelope" {
		t.Errorf("got %v, want the envelope", doc)
	}
}

// A recordingDrawer records the tables that a result draws.
type recordingDrawer struct {
	strings.Builder

	parts []items.Part
}

func (d *recordingDrawer) DrawRows(p items.Part) error {
	d.parts = append(d.parts, p)
	return nil
}

func (d *recordingDrawer) At(t time.Time) string { return t.Format(time.TimeOnly) }

// A terminal omits the optional columns of a table first, and the rows that a stream does not draw.
func TestDrawnTables(t *testing.T) {
	t.Parallel()
	d := &recordingDrawer{}
	s := op.Stream{
		Rows: func(yield func(any, error) bool) { _ = yield("intent", nil) && yield("outcome", nil) }, Table: items.NewTextTable("KIND"),
		Cells: func(row any) [][]string { return [][]string{{row.(string)}} }, Drawn: func(row any, cells [][]string) [][]string {
			if row == "intent" {
				return nil
			}
			return cells
		},
	}
	r := op.Rows{List: []row{{Name: "a"}}, Optional: []string{"INDEX"}}
	if err := errors.Join(r.Text(op.Output{Writer: d}), s.Text(op.Output{Writer: d})); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(d.parts[0].Optional, d.parts[1].Rows), "[INDEX] [[outcome]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The output contains the rows that a stream yields before its error.
func TestStreamWritesRowsBeforeError(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	var rows iter.Seq2[any, error] = func(yield func(any, error) bool) {
		_ = yield(1, nil) && yield(2, nil) && yield(0, lost)
	}
	s := op.Stream{Rows: rows, Line: func(_ op.Output, i any) string { return fmt.Sprint("row ", i, "\x1b") }}
	var out strings.Builder
	if err := s.Text(op.Output{Writer: &out}); !errors.Is(err, lost) || strings.Count(out.String(), "row") != 2 ||
		strings.Contains(out.String(), "\x1b") {
		t.Errorf("got %q, %v, want no escape sequence", out.String(), err)
	}
	full, n := errors.New("full"), 0
	if err := s.Each(func(any) error { n++; return full }); !errors.Is(err, full) || n != 1 {
		t.Errorf("got %d rows, %v, want 1 and the error", n, err)
	}
}

func TestWithinRejectsValuesOutOfRange(t *testing.T) {
	tests := map[string]struct {
		most int
		text string
		want string
	}{
		"least": {most: 9, text: "1"}, "most": {most: 9, text: "9"}, "no maximum": {most: -1, text: "1000"},
		"too small":            {most: 9, text: "0", want: "0 is out of range; use 1 to 9"},
		"too large":            {most: 9, text: "10", want: "10 is out of range; use 1 to 9"},
		"small and no maximum": {most: -1, text: "-5", want: "-5 is out of range; use 1 or more"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var n int
			p := op.Flag(&n, "n", "use `N`").Within(1, tt.most)
			if err := p.Set(tt.text); err != nil || p.Fault() != tt.want {
				t.Errorf("got %v, %q, want %q", err, p.Fault(), tt.want)
			}
		})
	}
}

// noteRecorder is a host that keeps notes.
type noteRecorder struct {
	op.Host
	notes []string
}

func (n *noteRecorder) Note(text string) { n.notes = append(n.notes, text) }

func TestNoteErrorIgnoresNil(t *testing.T) {
	host := &noteRecorder{}
	c := &op.Call{Host: host}
	c.NoteError(nil)
	c.NoteError(errors.New("failed"))
	if due := op.NotesDue(); due() || !slices.Equal(host.notes, []string{"failed"}) {
		t.Errorf("got notes %q, want failed", host.notes)
	}
}

// A search that pushes rows stops with its reader. Its error follows the rows.
func TestPushedRowsEndWithReader(t *testing.T) {
	failed := errors.New("failed")
	rows := op.Pushed(func(add func(row any) error) error {
		for n := range 3 {
			if err := add(n); err != nil {
				return err
			}
		}
		return failed
	})
	var got []any
	for row, err := range rows {
		if got = append(got, row); err != nil {
			got[len(got)-1] = err
		}
	}
	if want := []any{0, 1, 2, failed}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for row, err := range rows {
		if row != 0 || err != nil {
			t.Errorf("got %v, %v, want the first row", row, err)
		}
		break
	}
}

// Each parameter accepts the JSON types of its schema; a text parameter also accepts a number.
func TestSetJSON(t *testing.T) {
	t.Parallel()
	values := map[string]string{}
	var in struct {
		more   []string
		named  map[string]string
		limit  int
		all    bool
		schema string
	}
	list := []*op.Param{
		op.MapFlag(values, &accesspatterns.Param{Name: "age", Type: accesspatterns.Number, Minimum: "1"}),
		op.MapFlag(values, &accesspatterns.Param{Name: "state", Type: accesspatterns.Enum, Enum: []string{"a"}, OpenEnum: true}),
		op.Flag(&in.more, "more", "others"), op.Flag(&in.named, "named", ""), op.Flag(&in.limit, "limit", ""), op.Flag(&in.all, "all", ""),
		op.Arg(&in.schema, "schema", ""), op.MapFlag(values, &accesspatterns.Param{Name: "ids", Type: accesspatterns.String, List: true}),
	}
	arguments := `{"age":12.5,"state":"b","ids":["x,y",7],"more":["x","y"],"named":{"a=b":"c"},"limit":3,"all":true,"schema":"s"}`
	var given map[string]any
	if err := json.Unmarshal([]byte(arguments), &given); err != nil {
		t.Fatal(err)
	}
	schemas := map[string]any{}
	for _, p := range list {
		schemas[p.Name] = p.Schema()
		if err := p.SetJSON(given[p.Name]); err != nil || p.Fault() != "" {
			t.Errorf("%s: got %v, %s", p.Name, err, p.Fault())
		}
	}
	if got, want := fmt.Sprint(values, in), `map[age:12.5 ids:["x,y",7] state:b] {[x y] map[a=b:c] 3 true s}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	text, err := json.Marshal(schemas)
	if want := `{"age":{"type":["number","string"]},"all":{"type":"boolean"},` +
		`"ids":{"description":"Several values are possible, separated by commas.","type":"string"},"limit":{"type":"integer"},` +
		`"more":{"description":"others","items":{"type":"string"},"type":"array"},"named":{"additionalProperties":{"type":"string"},"type":"object"},` +
		`"schema":{"type":"string"},"state":{"type":"string"}}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	for name, wrong := range map[string]any{"limit": "many", "named": map[string]any{"a": 1.0}, "all": map[string]any{}, "state": []any{"a", "b"}} {
		i := slices.IndexFunc(list, func(p *op.Param) bool { return p.Name == name })
		if err := list[i].SetJSON(wrong); err == nil {
			t.Errorf("%s accepts %v", name, wrong)
		}
	}
}

// The first equals sign separates the name from the value, and each name may occur once.
func TestValuesAreSetByName(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"a=b=c d=": "", "a": `expected name=value, found "a"`, "=a": `expected name=value, found "=a"`, "a=1 a=2": "parameter a: set twice; omit one of the values",
	} {
		var values map[string]string
		p := op.Flag(&values, "input", "`NAME=VALUE`")
		var err error
		for text := range strings.FieldsSeq(args) {
			err = errors.Join(err, p.Set(text))
		}
		if want == "" && (err != nil || values["a"] != "b=c") || want != "" && (err == nil || err.Error() != want || !errors.Is(err, session.ErrInput)) {
			t.Errorf("%s: got %v, %v, want %s", args, values, err, want)
		}
	}
}
