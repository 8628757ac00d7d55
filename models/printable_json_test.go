package models_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/models"
)

// checkPrintableJSON holds for every text: it is JSON of the same text, in which
// nothing acts on a terminal.
func checkPrintableJSON(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) {
	t.Helper()
	raw := models.Item{text: models.StringValue(text)}.AppendJSON(nil)
	safe := models.PrintableJSON(raw)
	if acts := hostile.Acts(string(safe), ""); acts != "" {
		t.Fatalf("%+q is spelled with %s", text, acts)
	}
	var a, b map[string]string
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatalf("%+q: %v", raw, err)
	}
	if err := json.Unmarshal(safe, &b); err != nil || len(a) != len(b) {
		t.Fatalf("%+q: %v", safe, err)
	}
	for name, value := range a {
		if b[name] != value {
			t.Fatalf("%+q is spelled %+q", text, safe)
		}
	}
	if again := string(models.PrintableJSON(safe)); again != string(safe) {
		t.Fatalf("%+q is spelled %+q, then %+q", text, safe, again)
	}
}

func TestPrintableJSONProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkPrintableJSON(t, hostile.Drawn().Draw(t, "text")) })
}

func FuzzPrintableJSON(f *testing.F) {
	for _, s := range hostile.Texts() {
		f.Add(s.Text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkPrintableJSON(t, text) })
}
