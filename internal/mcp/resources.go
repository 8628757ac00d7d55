package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ddbdesk/ddbdesk/internal/ops/schema"
	"github.com/ddbdesk/ddbdesk/internal/schemadoc"
)

func (s *Server) addResources() {
	for _, name := range s.names {
		p := s.desks[name].profile()
		at := "ddbdesk://" + name
		s.resource(at+"/schema", name+" schema", "application/json", "Tables, entities, key templates and states", func() ([]byte, error) {
			return json.Marshal(schema.OfSchema(p))
		})
		s.resource(at+"/docs", name+" documentation", "text/markdown", "The schema as a document for people", func() ([]byte, error) {
			return schemadoc.Write(p, "markdown"), nil
		})
		s.resource(at+"/findings", name+" findings", "application/json", "Known issues of the schema", func() ([]byte, error) {
			return json.Marshal(schema.OfSchema(p).Findings)
		})
	}
}

func (s *Server) resource(uri, name, kind, description string, text func() ([]byte, error)) {
	s.sdk.AddResource(&sdk.Resource{URI: uri, Name: name, MIMEType: kind, Description: description},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			out, err := text()
			if err != nil {
				return nil, err
			}
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: kind, Text: string(out)}}}, nil
		})
}
