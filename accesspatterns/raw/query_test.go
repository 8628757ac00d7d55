package raw_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/models"
)

// want lists the comparisons in the key condition, in the filter and in ddbdesk: "key | filter | client".
func TestDynamoDBEvaluatesSupportedConditions(t *testing.T) {
	t.Parallel()
	key := func(name string, kind models.Type) models.Key { return models.Key{Name: name, Type: kind} }
	x := &models.Index{
		Name: "ByDay", PartitionKeys: []models.Key{key("tenant", "S"), key("day", "N")}, SortKeys: []models.Key{key("hour", "N"), key("id", "S")},
		Projection: models.ProjectionAll,
	}
	table := &models.Table{Name: "t", PartitionKey: key("pk", "S"), SortKey: key("sk", "S"), Indexes: []*models.Index{x}}
	e := &models.Entity{
		Name: "Thing", Table: table, ShowUndeclared: true, Attributes: []*models.Attribute{
			{Name: "pk", Path: "pk", Type: "S"},
			{Name: "sk", Path: "sk", Type: "S"},
			{Name: "n", Path: "n", Type: "N"},
			{Name: "tags", Path: "tags", Type: "SS"},
			{Name: "mail", Path: "mail", Type: "S", Sensitive: models.PII},
		},
		Keys: map[string]models.Template{"pk": models.MustTemplate("{pk}"), "sk": models.MustTemplate("MAIL#{mail}")},
	}
	e.Seal()
	for _, tt := range []struct {
		index bool
		key   string // assignments, then comparisons after a semicolon
		want  string
	}{
		{false, "pk=a", "#pk = :pk |  | "},
		{false, "pk=a sk=b", "#pk = :pk AND #sk = :sk |  | "},
		{false, "pk=a; sk begins-with ORDER", "#pk = :pk AND begins_with(#sk, :sk) |  | "},
		{false, "pk=a; sk begins-with MAIL#", "#pk = :pk AND begins_with(#sk, :sk) |  | "},
		{false, "pk=a; sk begins-with MAIL#ana", "#pk = :pk |  | begins_with(#sk, :sk)"},
		{false, "pk=a; sk >= A; sk <= B", "#pk = :pk AND #sk BETWEEN :from AND :to |  | "},
		{false, "pk=a; sk >= A; sk < B", "#pk = :pk AND #sk >= :sk |  | #sk < :sk"},
		{false, "pk=a; sk != A", "#pk = :pk |  | #sk <> :sk"},
		{false, "pk=a; n > 5; tags contains x", "#pk = :pk | #n > :n AND contains(#tags, :tags) | "},
		{false, "pk=a; new = 1", "#pk = :pk |  | (#new = :new OR #new = :new2)"},
		{false, "pk=a; new:BOOL = 1", "#pk = :pk |  | #new = :new"},
		{false, "pk=a; new = True", "#pk = :pk |  | (#new = :new OR #new = :new2 OR #new = :new3)"}, // or base64
		{false, "pk=a; new = AR==", "#pk = :pk |  | #new = :new"},
		{false, "pk=a; new:NULL = abc", "parameter new: abc cannot be compared this way, because the type of new is NULL"},
		{false, "pk=a; new = [1,1]", "#pk = :pk |  | (#new = :new OR #new = :new2)"}, // not a set, because the values are equal
		{false, "pk=a; new = [1]", "#pk = :pk |  | (#new = :new OR #new = :new2 OR #new = :new3)"},
		{false, `pk=a; new = {"a":1}`, "#pk = :pk |  | (#new = :new OR #new = :new2)"},
		{false, "pk=a; new contains [1]", "#pk = :pk |  | contains(#new, :new)"},
		{false, `pk=a; tags = ["b","a"]`, "#pk = :pk | #tags = :tags | "},
		{false, "pk=a; tags = a", "parameter tags: a cannot be compared this way, because the type of tags is SS"},
		{false, "pk=a; new[1].a <= 5", "#pk = :pk |  | (#new[1].#a <= :new_1__a OR #new[1].#a <= :new_1__a2)"},
		{false, "pk=a; mail = x", "#pk = :pk |  | #mail = :mail"},
		{true, "tenant=a day=1; hour = 2; id > 3", "#tenant = :tenant AND #day = :day AND #hour = :hour AND #id > :id |  | "},
		{true, "tenant=a day=1; id > 3", "#tenant = :tenant AND #day = :day |  | #id > :id"},
		{true, "tenant=a", "missing parameter day"},
		{true, "tenant=a day=1 id=3", "parameter id: the key requires hour first"},
		{false, "sk=b", "missing parameter pk"},
		{false, "pk=a pk=b", "parameter pk: set twice"},
		{false, "pk:N=1", "parameter pk: the key has type S"},
		{false, "pk=a n=1", "parameter n: not a key attribute"},
		{false, "pk=a; n > x", "parameter n: x cannot be compared this way, because the type of n is N"},
		{false, "pk=a; n between 5 and 1", "parameter n: no value is between 5 and 1; write the smaller value first"},
		{false, "pk=a; new between 100 and 1", "parameter new: no value is between 100 and 1; write the smaller value first"},
	} {
		parts := strings.Split(tt.key, "; ")
		q := raw.Query{
			Schema: "s", Table: table, Entities: []*models.Entity{e}, Masker: models.NewMasker([]*models.Entity{e}, false),
			Operation: accesspatterns.Query, CustomQuery: accesspatterns.CustomQuery{Key: strings.Fields(parts[0]), Where: parts[1:]},
		}
		if tt.index {
			q.Index = x
		}
		got := ""
		p, args, err := q.Pattern()
		if err == nil {
			var r *accesspatterns.Request
			if r, err = p.Bind(args, time.Now()); err == nil {
				in, clientText := r.Legs[0].Query, ""
				if text := string(r.Explain(0, nil)[0].Filter); text != "" {
					clientText = strings.Split(text, `"`)[3]
				}
				got = aws.ToString(in.KeyConditionExpression) + " | " + aws.ToString(in.FilterExpression) + " | " + clientText
			}
		}
		if err != nil {
			got = err.Error()
		}
		if got != tt.want && (err == nil || !strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s: got %s, want %s", tt.key, got, tt.want)
		}
	}
}

func TestErrorQuotesKeyAttributesWithDots(t *testing.T) {
	t.Parallel()
	q := raw.Query{
		Schema: "s", Table: &models.Table{Name: "t", PartitionKey: models.Key{Name: "a.b", Type: "S"}}, Operation: accesspatterns.Get,
		CustomQuery: accesspatterns.CustomQuery{Key: []string{"a.b=x"}}, Masker: models.NewMasker(nil, false),
	}
	want := `parameter a.b: not a key attribute ("a.b")`
	if _, _, err := q.Pattern(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A key is as sensitive as the entity that it belongs to. A text that is the key of no entity is as sensitive as the
// strictest of them, because it may be any part of a key.
func TestTypedKeyIsAsSensitiveAsItsEntity(t *testing.T) {
	t.Parallel()
	table := &models.Table{Name: "t", PartitionKey: models.Key{Name: "pk", Type: "S"}, SortKey: models.Key{Name: "sk", Type: "S"}}
	entity := func(pk, sk string, s models.Sensitivity) *models.Entity {
		e := &models.Entity{
			Name: pk, Table: table, Attributes: []*models.Attribute{{Name: "id", Path: "id", Type: "S", Sensitive: s}},
			Keys: map[string]models.Template{"pk": models.MustTemplate(pk), "sk": models.MustTemplate(sk)},
		}
		e.Seal()
		return e
	}
	digest := entity("TOKEN#{id}", "META", models.Secret)
	digest.Keys["pk"] = digest.Keys["pk"].WithDigest("md5")
	entities := []*models.Entity{
		entity("CASE#{id}", "META", models.NotSensitive), entity("CASE#MAIL#{id}", "META", models.PII),
		entity("MAIL#{id}", "{id}", models.PII), entity("KEY#{id}", "META", models.Secret), entity("{kind}#v1", "META", models.NotSensitive),
	}
	for _, tt := range []struct {
		pk, sk string
		also   *models.Entity
		want   string
	}{
		{pk: "CASE#ver_1", want: ""},
		{pk: "CASE#MAIL#ann@mail.bw", want: "pii"},
		{pk: "MAIL#ann@mail.bw", want: "pii"},
		{pk: "KEY#k3y", want: "secret"},
		{pk: "KEY#v1", want: "secret"},
		{pk: "key#k3y", want: "secret"},
		{pk: "CASE", want: "secret"},
		{pk: "CASE#ver_1", also: digest, want: "secret"}, // A digest has no literal, so that any text may be one.
		{pk: "CASE#ver_1", sk: "META", want: " pii"},     // The sort key may be an address.
		{pk: "CASE#ver_1", sk: "ann@mail.bw", want: " pii"},
	} {
		key := []string{"pk=" + tt.pk}
		if tt.sk != "" {
			key = append(key, "sk="+tt.sk)
		}
		all := entities
		if tt.also != nil {
			all = append(slices.Clone(all), tt.also)
		}
		p, _, err := raw.Query{
			Schema: "s", Table: table, Entities: all, Operation: accesspatterns.Query,
			CustomQuery: accesspatterns.CustomQuery{Key: key}, Masker: models.NewMasker(all, false),
		}.Pattern()
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(models.MapSlice(p.Params, func(q *accesspatterns.Param) string { return string(q.Sensitive) }), " ")
		if got != tt.want {
			t.Errorf("%s %s: sensitivity %q, want %q", tt.pk, tt.sk, got, tt.want)
		}
	}
}
