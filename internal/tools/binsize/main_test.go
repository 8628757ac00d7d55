package main

import (
	"strings"
	"testing"
)

func TestOrigins(t *testing.T) {
	for symbol, want := range map[string]string{
		"main.main": "ddbdesk",
		"github.com/ddbdesk/ddbdesk/tui/screens/home.(*Home).View":      "ddbdesk",
		"github.com/aws/aws-sdk-go-v2/service/dynamodb.(*Client).Query": "AWS SDK",
		"type:*github.com/aws/smithy-go/transport/http.Request":         "AWS SDK",
		"net/http.(*Client).Do": "Go: runtime and standard library",
		"slices.SortFunc[go.shape.[]github.com/ddbdesk/ddbdesk/models.Item,go.shape.map[string]int]": "Go: runtime and standard library",
		"go.yaml.in/yaml/v4.Unmarshal": "YAML",
		"github.com/gofrs/flock.New":   "other libraries",
		"mainly.x":                     "Go: runtime and standard library",
	} {
		if got := originOf(symbol); got != want {
			t.Errorf("%s: %s, want %s", symbol, got, want)
		}
	}
}

func TestGrowthIsNoticed(t *testing.T) {
	page := document(1_000_000, []part{{"ddbdesk", 600_000}})
	if !strings.Contains(page, "| ddbdesk | 0.6 |") || !strings.Contains(page, "belong to no symbol | 0.4 |") {
		t.Error(page)
	}
	for size, ok := range map[int64]bool{900_000: true, 1_050_000: true, 1_051_000: false} {
		if err := compare(size, page, "size.md"); (err == nil) != ok {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if compare(1, "nothing", "size.md") == nil {
		t.Error("a page without a size passes")
	}
}
