package team

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/ops/explore"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

type tableInput struct {
	planInput

	table, path string
	key         []string
	set, remove []string
	reveal      bool
}

const rawHelp = "Like an action, a raw change has a plan, conditions, a journal entry and an undo. If the item has changed since\n" +
	"ddbdesk read it, ddbdesk writes nothing. The change also writes the schema's audit entry. It needs --reason and,\n" +
	"to apply it, --role admin and, on production, raw-edits: true in the context. ddbdesk refuses to change the\n" +
	"state of a lifecycle, or an attribute whose action needs a second person."

func (in *tableInput) params(more ...*op.Param) []*op.Param {
	return slices.Concat([]*op.Param{op.TableArg(&in.table), in.requestFlag()}, more, in.planInput.params())
}

func (in *tableInput) keyArg() *op.Param {
	p := op.Arg(&in.key, "key", "attributes of the primary key, as `NAME=VALUE`")
	p.Complete = explore.InTable(&in.table, func(_ *profiles.Profile, t *models.Table, _ string) []string {
		return models.MapSlice(t.PrimaryKeys(), func(k models.Key) string { return raw.Name{Path: []string{k.Name}}.WithoutType() + "=" })
	})
	return p
}

var editItem = op.New(op.Op{
	Path: "table edit", Title: "Set or remove attributes of an item of any table",
	Help: "Sets and removes attributes of an item. A value keeps the type of the key or of the attribute: write a map, a list or a\n" +
		"set as JSON; --set NAME:TYPE=VALUE forces a type (S, N, B, BOOL, NULL). ddbdesk recomputes keys that a schema\n" +
		"derives. A new primary key is a transaction that puts the new item and deletes the old one.\n\n" + rawHelp,
	Needs: op.Writes, Formats: formats,
}, func(in *tableInput) []*op.Param {
	return in.params(
		in.keyArg(),
		op.Flag(&in.set, "set", "set an attribute or a path, as `NAME=VALUE`; repeatable"),
		op.Flag(&in.remove, "remove", "remove the attribute or path `NAME`; repeatable"),
		op.Flag(&in.reveal, "reveal", "show personal data in the plan, so that it can be edited"),
	)
}, func(ctx context.Context, c *op.Call, in *tableInput) (op.Result, error) {
	if len(in.set)+len(in.remove) == 0 {
		return nil, session.InputErrorf("nothing to change; add --set NAME=VALUE or --remove NAME")
	}
	return in.planKey(ctx, c, change.RawEdit, map[string]string{
		change.RawKey: jsonList(in.key), change.RawSet: jsonList(in.set), change.RawRemove: jsonList(in.remove),
	})
})

var putItem = op.New(op.Op{
	Path: "table put", Title: "Put a new item into any table",
	Help: "Puts an item from a file, or from stdin (-), in plain JSON, DynamoDB JSON or CSV. It never replaces an item:\n" +
		"if an item has the key, the exit code is 10.\n\n" + rawHelp,
	Needs: op.Writes, Formats: formats,
}, func(in *tableInput) []*op.Param {
	return in.params(op.Arg(&in.path, "file", "the file with the item as JSON, or - for stdin"))
}, func(ctx context.Context, c *op.Call, in *tableInput) (op.Result, error) {
	p, t, err := c.Table(in.table)
	if err != nil {
		return nil, err
	}
	it, err := readItem(p, t, in.path)
	if err != nil {
		return nil, err
	}
	return in.planChange(ctx, c, p, t, change.RawPut, map[string]string{change.RawItem: string(it.AppendDynamoDBJSON(nil))})
})

var deleteItem = op.New(op.Op{
	Path: "table delete", Title: "Delete an item of any table",
	Help:  "Deletes an item by its primary key. Undo restores the item.\n\n" + rawHelp,
	Needs: op.Writes, Formats: formats,
}, func(in *tableInput) []*op.Param {
	return in.params(in.keyArg())
}, func(ctx context.Context, c *op.Call, in *tableInput) (op.Result, error) {
	return in.planKey(ctx, c, change.RawDelete, map[string]string{change.RawKey: jsonList(in.key)})
})

func jsonList(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	text, _ := json.Marshal(texts) // Marshaling strings cannot fail.
	return string(text)
}

func readItem(p *profiles.Profile, t *models.Table, path string) (it models.Item, err error) {
	n, o := 0, items.ReadOptions{Profile: p, Table: t.Name}
	each := func(r items.Record) error {
		if n++; n > 1 {
			return session.InputErrorf("the file contains more than one item; use ddbdesk load")
		}
		it = r.Item
		return nil
	}
	if path == "-" {
		err = items.ReadFrom(io.LimitReader(os.Stdin, maxItemFile), "stdin", o, each)
	} else {
		err = op.FileError(items.Read(path, o, each))
	}
	return it, err
}

// maxItemFile is the maximum size of an item file in bytes. JSON needs more bytes than the 400 KB of an item.
const maxItemFile = 8 << 20

func (in *tableInput) planKey(ctx context.Context, c *op.Call, kind string, inputs map[string]string) (op.Result, error) {
	p, t, err := c.Table(in.table)
	if err != nil {
		return nil, err
	}
	return in.planChange(ctx, c, p, t, kind, inputs)
}

func (in *tableInput) planChange(
	ctx context.Context, c *op.Call, p *profiles.Profile, t *models.Table, kind string, inputs map[string]string,
) (op.Result, error) {
	for name, text := range inputs {
		if text == "" {
			delete(inputs, name)
		}
	}
	offline := workspace.New(session.Options{Profile: p})
	act, err := offline.Planner.Action(kind + t.Name)
	if err != nil {
		return nil, err
	}
	schema := in.table
	if p.File != "" {
		schema = session.SchemaName(p)
	}
	return in.change(ctx, c, p, offline, pendingChange{action: act, schema: schema, reveal: in.reveal}, inputs)
}
