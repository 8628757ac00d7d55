package profiles_test

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
)

func TestAliasesNameActions(t *testing.T) {
	p, err := profiles.Open("zentriqvision", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"suspend-org", "deactivate-organisation", "zentriqvision.deactivate-organisation"} {
		if a := p.Action(name); a == nil || a.ID != "suspend-org" {
			t.Errorf("%s is %v", name, a)
		}
	}
	const one = "actions:\n  a: {entity: User, aliases: [%], set: {mail: x}}\n  b: {entity: User, aliases: [old], set: {mail: y}}\n"
	for alias, want := range map[string]string{
		"former": "", "b": "b already names an action", "old": "old already names an action", "x, x": "x already names an action",
	} {
		_, err := profiles.Load("shop.yaml", []byte(desk+strings.Replace(one, "%", alias, 1)), nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", alias, err, want)
		}
	}
}
