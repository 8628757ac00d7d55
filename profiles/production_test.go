package profiles_test

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func TestWholeWordsSayProduction(t *testing.T) {
	p := &profiles.Profile{Guardrails: profiles.Guardrails{Production: []string{"prd", "blue-green", "111122223333"}}}
	for name, want := range map[string]bool{
		"prod": true, "PROD": true, "production": true, "live": true, "acme-production": true, "acme_prod_eu": true,
		"live.orders": true, "shop/prod": true, "AcmeProd": true, "acmePROD": true, "PRODOrders": true, "prod2": true,
		"eu1prod": true, "prd": true, "acme-prd": true, "blue-green": true, "111122223333": true,
		"": false, "dev": false, "products": false, "Product": false, "reproduction": false, "alive": false, "livestock": false,
		"preprod": false, "prodigy": false, "staging": false, "blue": false, "111122223334": false,
	} {
		if got := p.IsProduction(name); got != want {
			t.Errorf("%q is production: %v, want %v", name, got, want)
		}
	}
}

func TestVariablesAndTablesSayProduction(t *testing.T) {
	for _, c := range []struct {
		variable, table string
		want            bool
	}{
		{"dev", "orders-dev", false},
		{"eu-prod", "orders-eu", true},
		{"dev", "OrdersLive", true},
	} {
		p := &profiles.Profile{
			Variables: []profiles.Variable{{Name: "stage", Value: c.variable}}, Tables: []*models.Table{{Name: c.table}},
		}
		if got := p.IsProduction("", "staging"); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
