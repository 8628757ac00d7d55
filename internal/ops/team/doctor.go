package team

import (
	"context"

	"github.com/ddbdesk/ddbdesk/internal/op"
)

var examineSetup = op.New(op.Op{
	Path: "doctor", Title: "Check the setup: connection, credentials, journal, schemas",
	Help: "Shows the version, the paths and the resolved connection, and checks the terminal, the configuration, the\n" +
		"credentials, the folders, the journal and the schemas. With --context or a connection flag, it also checks the\n" +
		"endpoint and its clock. It changes nothing.\n\n" +
		"The exit code is 10 if there is a problem. Warnings do not change it.",
	Formats: op.TextJSON,
}, nil, func(ctx context.Context, c *op.Call, _ *struct{}) (op.Result, error) {
	r := c.Examine(ctx)
	doc := op.Doc{Document: r, Lines: r.Lines()}
	if !r.Healthy {
		return doc, op.Conflict
	}
	return doc, nil
})
