package accesspatterns_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestRedactorMasksSecretAndHiddenParameters(t *testing.T) {
	r := &accesspatterns.Request{
		Pattern: &accesspatterns.Pattern{Params: []*accesspatterns.Param{
			{Name: "token", Sensitive: models.Secret}, {Name: "email", Sensitive: models.PII}, {Name: "status"}, {Name: "empty"},
		}},
		Values: map[string]accesspatterns.Value{
			"token": {Text: "k3y"}, "email": {Text: "ann@k3y.com"}, "status": {Text: "open"}, "empty": {},
		},
	}
	const text = "TOKEN#k3y MAIL#ann@k3y.com open"
	tests := []struct {
		hidden  map[string]models.Sensitivity
		want    string
		redacts bool
	}{
		{nil, "TOKEN#[secret] MAIL#ann@[secret].com open", true},
		{map[string]models.Sensitivity{"email": models.PII}, "TOKEN#[secret] MAIL#••• open", true},
		{map[string]models.Sensitivity{"empty": models.PII}, "TOKEN#[secret] MAIL#ann@[secret].com open", true},
	}
	for _, tt := range tests {
		if got := r.Redactor(tt.hidden)(text); got != tt.want || r.Redacts(tt.hidden) != tt.redacts {
			t.Errorf("hidden %v: got %q, want %q", tt.hidden, got, tt.want)
		}
	}
	r.Read.Key = []accesspatterns.KeyCondition{matches("PK", "TOKEN#{token:md5}#{token:upper}")}
	if got := r.Redactor(nil)("TOKEN#fbe8cdb8cacde73703e02dcf0866f7e9#K3Y"); got != "TOKEN#[secret]#[secret]" {
		t.Errorf("other forms of a secret: %q", got)
	}
	r.Values["token"] = accesspatterns.Value{}
	if r.Redacts(nil) || !r.Redacts(map[string]models.Sensitivity{"status": models.PII}) {
		t.Error("Redacts does not depend on the values")
	}
}

func TestGivenKeysAreThoseOfTheRequest(t *testing.T) {
	mail := &accesspatterns.Param{Name: "mail", Type: accesspatterns.String, Required: true}
	p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "MAIL#{mail:lower}"), matches("SK", "A")}}, mail)
	r, err := p.Bind(map[string]string{"mail": "Ann@mail.bw"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(map[string][]string{"PK": {"MAIL#ann@mail.bw"}}, r.GivenKeys(nil)); diff != "" {
		t.Error(diff)
	}
	if got := r.GivenKeys(map[string]models.Sensitivity{"mail": models.PII}); got != nil {
		t.Errorf("a masked parameter gives %v", got)
	}
	mail.Sensitive = models.Secret
	if got := r.GivenKeys(nil); got != nil {
		t.Errorf("a secret parameter gives %v", got)
	}
}

// The digest of a secret names it to whoever can guess it.
func TestRedactorMasksKeysThatAreTheDigestOfASecret(t *testing.T) {
	token := text("token")
	token.Sensitive = models.Secret
	digested := accesspatterns.KeyCondition{
		Attribute: key("PK"), Compare: accesspatterns.Equal, Template: models.MustTemplate("TOKEN#{token}").Digested("sha1"),
	}
	r, err := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{digested}}, token).Bind(map[string]string{"token": "k3y"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Redactor(nil)(asked(r.Legs[0])); got != "PK = '[secret]'" {
		t.Errorf("shown as %s", got)
	}
}
