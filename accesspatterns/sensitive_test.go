package accesspatterns_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// An error may be logged or shown to others, so it repeats no value of a sensitive parameter, of whatever type.
func TestErrorsDoNotRepeatSensitiveValues(t *testing.T) {
	now := time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)
	for _, kind := range accesspatterns.ParamTypes() {
		for _, text := range []string{"kabo-7731", "1999-12-31", "77e31", "7731.5", "", "\x00kabo"} {
			p := &accesspatterns.Param{
				Name: "p", Type: kind, Sensitive: models.PII, Enum: []string{"a"}, Minimum: "now-1d", Maximum: "now",
			}
			if kind == accesspatterns.Number || kind == accesspatterns.Integer {
				p.Minimum, p.Maximum = "1", "2"
			}
			_, err := p.Read(text, now)
			if err != nil && text != "" && strings.Contains(err.Error(), strings.Trim(text, "\x00")) {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
}
