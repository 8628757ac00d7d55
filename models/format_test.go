package models_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/models"
)

func TestFormatCheck(t *testing.T) {
	hash := strings.Repeat("0a", 32)
	tests := []struct {
		format models.Format
		yes    []string
		no     []string
	}{
		{
			models.UUID,
			[]string{"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"},
			[]string{"", "ver_1", "123e4567e89b12d3a456426614174000"},
		},
		{
			models.ULID,
			[]string{"01ARZ3NDEKTSV4RRFFQ69G5FAV", "01arz3ndektsv4rrffq69g5fav"},
			[]string{"81ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAI", "01ARZ3NDEKTSV4RRFFQ69G5FA"},
		},
		{models.KSUID, []string{"0ujtsYcgvSTl8PAuAdqWYSMnLOv"}, []string{"0ujtsYcgvSTl8PAuAdqWYSMnLO", "0ujtsYcgvSTl8PAuAdqWYSMnLO-"}},
		{models.UUID7, []string{"018f4567-e89b-72d3-a456-426614174000"}, []string{"123e4567-e89b-12d3-a456-426614174000", "7"}},
		{
			models.SHA256,
			[]string{hash, strings.ToUpper(hash), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU="},
			[]string{hash[1:], hash + "0", "xyz"},
		},
		{models.E164, []string{"+26771234567"}, []string{"26771234567", "+0123456", "+267 71 234 567", "+1234567890123456"}},
		{models.Email, []string{"a@b.bw", "first.last+tag@example.com"}, []string{"a", "a@", "@b", "Name <a@b.bw>", " a@b.bw"}},
		{models.URL, []string{"https://a.bw/x?y=1", "s3://bucket/key"}, []string{"a.bw", "/x", "https://", "::"}},
		{models.IP, []string{"10.0.0.1", "2001:db8::1"}, []string{"10.0.0", "10.0.0.256", "host"}},
		{
			models.Domain,
			[]string{"a.bw", "localhost", "A-b.example.com:8080"},
			[]string{"-a.bw", "a..bw", "a_b.bw", "https://a.bw", "a.bw:port"},
		},
		{models.MIME, []string{"image/png", "text/html; charset=utf-8"}, []string{"image", "/png", "image/", "a/b/c", ""}},
		{models.ISO8601, []string{"2026-01-14T10:00:00Z"}, []string{"2026-01-14", "yesterday"}},
		{models.EpochSeconds, []string{"1768384800"}, []string{"1768384800000", "soon"}},
		{models.Date, []string{"2026-01-14"}, []string{"14.01.2026"}},
		{models.Text, []string{"", "anything"}, nil},
		{models.NoFormat, []string{"", "anything"}, nil},
	}
	for _, tt := range tests {
		for _, value := range tt.yes {
			if err := tt.format.Check(value); err != nil {
				t.Errorf("%s refuses %q: %v", tt.format, value, err)
			}
		}
		for _, value := range tt.no {
			err := tt.format.Check(value)
			if err == nil || !strings.Contains(err.Error(), `"`+value+`" is not `) {
				t.Errorf("%s says %v of %q", tt.format, err, value)
			}
		}
	}
	if err := models.Email.Check("\x1b[2J"); strings.Contains(err.Error(), "\x1b") {
		t.Error("the reason repeats an escape sequence")
	}
}

func TestFormatsListsEveryFormat(t *testing.T) {
	seen := map[models.Format]bool{}
	for _, f := range models.Formats() {
		if seen[f] || f == models.NoFormat {
			t.Errorf("%q is listed twice or empty", f)
		}
		seen[f] = true
		if f.IsDay() && (!f.IsTime() || !f.Lossy()) {
			t.Errorf("%s: a day is a time that has lost its hour", f)
		}
	}
	for _, f := range models.KeyFormats() {
		if _, err := models.ParseTemplate("{a:"+f+"}", nil); err != nil {
			t.Errorf("a template refuses the format %s: %v", f, err)
		}
	}
	if !models.Format("upper").Lossy() || models.EpochMillis.Lossy() {
		t.Error("a folded case cannot be read back, milliseconds can")
	}
	if list := models.Types(); len(list) != 10 || !slices.Contains(list, models.TypeNULL) {
		t.Errorf("DynamoDB has ten types: %v", list)
	}
}

func TestAttributeCheck(t *testing.T) {
	id := attr("id", prefix("ver_"), format(models.UUID))
	status := attr("status", enum("open", "closed"))
	free := attr("kind", enum("a", "b"), func(a *models.Attribute) { a.OpenEnum = true })
	tests := []struct {
		attribute   *models.Attribute
		value, says string
	}{
		{id, "ver_123e4567-e89b-12d3-a456-426614174000", ""},
		{id, "123e4567-e89b-12d3-a456-426614174000", "does not start with ver_"},
		{id, "ver_1", `"1" is not a UUID`},
		{status, "open", ""},
		{status, "Open", "not one of open, closed"},
		{free, "c", ""},
	}
	for _, tt := range tests {
		err := tt.attribute.Check(tt.value)
		if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s %q: %v, want %q", tt.attribute.Name, tt.value, err, tt.says)
		}
	}
}
