package explore

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A customQueryInput contains the inputs of a custom query, except the key.
type customQueryInput struct {
	where []string
	desc  bool
}

func (in *customQueryInput) params() []*op.Param {
	return []*op.Param{
		op.Flag(&in.where, "where", "return only items with `NAME OP VALUE`, such as 'total > 5'; repeatable"),
		op.Flag(&in.desc, "desc", "return the items in descending order of the sort key"),
	}
}

// customPattern returns a table's pattern as a custom query, if the arguments contain more than parameter values.
func (in *customQueryInput) customPattern(
	c *op.Call, p *profiles.Profile, q *accesspatterns.Pattern, args map[string]string, reveal bool,
) (*accesspatterns.Pattern, map[string]string, error) {
	isSchemaless := p.File == "" && slices.ContainsFunc(p.Entities, func(e *models.Entity) bool { return e.ByName != nil })
	hasOnlyParams := in.where == nil && !in.desc
	for name := range args {
		hasOnlyParams = hasOnlyParams && q.Param(name) != nil
	}
	switch {
	case q.CustomQuery != nil && (in.where != nil || in.desc):
		return nil, nil, session.InputErrorf("--where and --desc cannot change a named query; to write your own query, use ddbdesk table query %s",
			q.Table.Name)
	case hasOnlyParams, q.CustomQuery != nil: // the query of a bookmark keeps its filter
		return q, args, nil
	case !isSchemaless && (in.where != nil || in.desc):
		return nil, nil, session.InputErrorf("--where and --desc need a custom query; use %s", in.command(c, p, q, args))
	case !isSchemaless:
		return q, args, nil
	}
	var key []string
	for name, value := range args {
		key = append(key, name+"="+value)
	}
	slices.Sort(key)
	return in.query(p, q.Table, q.Read.Index, q.Read.Operation, key, reveal)
}

func (in *customQueryInput) command(c *op.Call, p *profiles.Profile, q *accesspatterns.Pattern, args map[string]string) string {
	words := []string{"table", "query", q.Table.Name}
	if r, err := workspace.New(session.Options{Profile: p}).Reading.Bind(q, args); err == nil && len(r.Legs) == 1 {
		if r.Read.Index != nil {
			words = append(words, "--index", r.Read.Index.Name)
		}
		for _, k := range r.Legs[0].KeyConditions() {
			if text, _ := models.ValueText(k.Values[0]); k.Compare == accesspatterns.Equal {
				words = append(words, raw.Assignment{Name: raw.Name{Path: []string{k.Attribute}}, Value: text}.String())
			}
		}
	}
	for _, condition := range in.where {
		words = append(words, "--where", condition)
	}
	if in.desc {
		words = append(words, "--desc")
	}
	return session.NewViewer(c.Access(p)).Command(words...)
}

func (in *customQueryInput) query(
	p *profiles.Profile, t *models.Table, x *models.Index, o accesspatterns.Operation, key []string, reveal bool,
) (*accesspatterns.Pattern, map[string]string, error) {
	for _, text := range in.where {
		_, err := raw.ParseComparison(text)
		if paramErr, ok := errors.AsType[*accesspatterns.ParamError](err); ok {
			return nil, nil, session.InputErrorf("--where %q: %s", op.Short(text), paramErr.Reason)
		}
	}
	return p.CustomPattern(t, x, o, accesspatterns.CustomQuery{Key: key, Where: in.where, Descending: in.desc}, reveal)
}

type tableInput struct {
	readInput
	customQueryInput

	table, index string
	key          []string
}

const customQueryHelp = "OP: = != < <= > >= begins-with contains exists missing, or between A and B. NAME is an attribute, or a path\n" +
	"inside maps and lists (ship.city, lines[0].sku). Put a name that contains a dot, a colon, a space, a bracket or a\n" +
	"quote in double quotes. VALUE has the type of the key or the declared type of the attribute, otherwise every type\n" +
	"that fits; NAME:TYPE forces a type (S, N, B, BOOL, NULL). ddbdesk recognizes and masks the items of a schema.\n" +
	"Masked attributes cannot be compared."

func tableRead(o accesspatterns.Operation, title, help string) *op.Op {
	return op.New(op.Op{
		Path: "table " + string(o), Title: title, Help: help, Needs: op.Reads, Formats: rowFormats(),
	}, func(in *tableInput) []*op.Param {
		list := []*op.Param{op.TableArg(&in.table)}
		key := op.Arg(&in.key, "key", "attributes of the key, as `NAME=VALUE` or NAME:TYPE=VALUE")
		key.Complete = InTable(&in.table, func(_ *profiles.Profile, t *models.Table, _ string) []string {
			partition, sort := t.KeysOf(t.Index(in.index))
			return models.MapSlice(slices.Concat(partition, sort), func(k models.Key) string {
				return raw.Name{Path: []string{k.Name}}.WithoutType() + "="
			})
		})
		index := op.Flag(&in.index, "index", "read through the index `NAME`")
		index.Complete = InTable(&in.table, func(_ *profiles.Profile, t *models.Table, _ string) []string {
			return models.MapSlice(t.Indexes, func(x *models.Index) string { return x.Name })
		})
		queryFlags, readFlags := in.customQueryInput.params(), in.readInput.params()
		switch o {
		case accesspatterns.Get:
			list = append(list, key)
			for _, p := range readFlags[:4] {
				p.Hidden = true // A read of one item accepts the flags for pages and scans, and ignores them.
			}
		case accesspatterns.Scan:
			list = append(list, index, queryFlags[0])
		default:
			list = append(append(list, key, index), queryFlags...)
		}
		return append(list, readFlags...)
	}, func(ctx context.Context, c *op.Call, in *tableInput) (op.Result, error) {
		if err := in.check(c.Output); err != nil {
			return nil, err
		}
		p, t, err := c.Table(in.table)
		if err != nil {
			return nil, err
		}
		x := t.Index(in.index)
		if x == nil && in.index != "" {
			names := models.MapSlice(t.Indexes, func(x *models.Index) string { return x.Name })
			return nil, session.InputErrorf("--index: %s has no index %s%s", t.Name, op.Short(in.index),
				cmp.Or(models.DidYouMean(in.index, names), "; its indexes are "+cmp.Or(english.OxfordWordSeries(names, "and"), "none")))
		}
		q, args, err := in.query(p, t, x, o, in.key, in.reveal)
		if err != nil {
			return nil, err
		}
		return in.read(ctx, c, p, q, args, func(w *workspace.Workspace, r *reading.Run) op.Result {
			return newRowWriter(ctx, w, r, &in.readInput)
		})
	})
}

var (
	getFromTable = tableRead(accesspatterns.Get, "Read an item of any table by its key",
		"Reads an item of any table by its key. The table needs no schema.\n\n"+
			"VALUE has the type of the key attribute. Put a NAME that contains a dot, a colon, a space, a bracket or a quote\n"+
			"in double quotes. If a schema covers the table, ddbdesk recognizes the item and masks personal data.")
	queryTable = tableRead(accesspatterns.Query, "Query any table or index",
		"Queries any table or index by its partition key and, if given, its sort key. A --where on the sort key is part of\n"+
			"the key condition if DynamoDB can compare it; any other --where is a filter. --explain shows both, and the\n"+
			"filters that ddbdesk applies itself.\n\n"+customQueryHelp)
	scanTable = tableRead(accesspatterns.Scan, "Scan any table or index",
		"Scans any table or index. Without --allow-scan, it prints the cost and reads nothing.\n\n"+customQueryHelp)
)

// InTable completes an argument that follows a table argument.
func InTable(table *string, list func(p *profiles.Profile, t *models.Table, word string) []string) func(op.Host, string) []string {
	return func(h op.Host, word string) []string {
		p, t, err := h.Table(*table)
		if err != nil {
			return nil
		}
		return list(p, t, word)
	}
}
